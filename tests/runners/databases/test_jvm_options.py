"""Which options of the JVM a plan may set, and what is said of the others."""

import pytest

from runners.databases.jvm_options import is_allowed, refusal

# What the tuning guides of the last ten years set
ALLOWED = """
-Xms8G -Xmx8G -Xmn2G -Xss256k -ea -da -server
-XX:+UseG1GC -XX:+UseZGC -XX:+ZGenerational -XX:+UseShenandoahGC -XX:+UseParallelGC -XX:+UseSerialGC
-XX:+UseConcMarkSweepGC -XX:+UseParNewGC -XX:+UseCMSInitiatingOccupancyOnly -XX:CMSInitiatingOccupancyFraction=75
-XX:CMSWaitDuration=10000
-XX:+CMSParallelRemarkEnabled -XX:+CMSClassUnloadingEnabled -XX:MaxGCPauseMillis=300 -XX:G1HeapRegionSize=16m
-XX:G1RSetUpdatingPauseTimePercent=5 -XX:InitiatingHeapOccupancyPercent=70 -XX:ParallelGCThreads=16 -XX:ConcGCThreads=4
-XX:+ParallelRefProcEnabled -XX:G1NewSizePercent=50 -XX:SurvivorRatio=8 -XX:MaxTenuringThreshold=1 -XX:NewRatio=2
-XX:+AlwaysPreTouch -XX:-UseBiasedLocking -XX:+UseTLAB -XX:+ResizeTLAB -XX:+UseNUMA -XX:+PerfDisableSharedMem
-XX:MaxDirectMemorySize=128M -XX:MetaspaceSize=128m -XX:MaxMetaspaceSize=28m -XX:StringTableSize=1000003
-XX:+UseStringDeduplication -XX:+UseTransparentHugePages -XX:+UseLargePages -XX:+UseCondCardMark -XX:-UseCompressedOops
-XX:+TieredCompilation -XX:TieredStopAtLevel=1 -XX:Tier4InvocationThreshold=2000 -XX:ReservedCodeCacheSize=512m
-XX:CICompilerCount=4 -XX:MaxInlineLevel=15 -XX:FreqInlineSize=400 -XX:+UseSuperWord -XX:UseAVX=2
-XX:+UnlockExperimentalVMOptions -XX:+UnlockDiagnosticVMOptions -XX:ActiveProcessorCount=4 -XX:MaxRAMPercentage=50.0
-XX:ShenandoahGCHeuristics=compact -XX:GuaranteedSafepointInterval=300000 -XX:SoftRefLRUPolicyMSPerMB=0
-XX:ThreadPriorityPolicy=42 -XX:ZCollectionInterval=5 -XX:SoftMaxHeapSize=4g -XX:+UseCompactObjectHeaders
-Dcassandra.skip_wait_for_gossip_to_settle=0 -Dcassandra.available_processors=4 -Dio.netty.eventLoopThreads=8
"""

# What runs a command or foreign code, opens a port, reads or writes a file, or changes what is measured unseen
DANGEROUS = """
-XX:OnOutOfMemoryError=id>/tmp/x -XX:OnError=id -XX:+CrashOnOutOfMemoryError -XX:+HeapDumpOnOutOfMemoryError
-XX:HeapDumpPath=/tmp/x -XX:ErrorFile=/tmp/x -XX:LogFile=/tmp/x -XX:+LogVMOutput -XX:+LogCompilation
-Xlog:gc:file=/tmp/x -Xlog:disable -Xloggc:/tmp/x -XX:+UseGCLogFileRotation
-XX:StartFlightRecording=filename=/tmp/x -XX:+FlightRecorder -XX:FlightRecorderOptions=repository=/tmp
-XX:Flags=/tmp/x -XX:VMOptionsFile=/tmp/x -XX:CompileCommandFile=/tmp/x -XX:CompilerDirectivesFile=/tmp/x
-XX:SharedArchiveFile=/tmp/x -XX:ArchiveClassesAtExit=/tmp/x -XX:SharedClassListFile=/tmp/x -XX:+DumpSharedSpaces
-XX:AllocateHeapAt=/tmp -XX:JVMCILibPath=/tmp -XX:+EnableJVMCI -XX:PauseAtStartupFile=/tmp/x -XX:+PauseAtStartup
-XX:PerfDataSaveFile=/tmp/x -XX:+PerfDataSaveToFile -XX:+DumpPerfMapAtExit -XX:ReplayDataFile=/tmp/x
-XX:+ManagementServer -XX:+StartAttachListener -XX:-DisableAttachMechanism -XX:+EnableDynamicAgentLoading
-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5599 -agentpath:/tmp/x.so -javaagent:/tmp/x.jar
-Xrunjdwp:transport=dt_socket -Xdebug -Xbootclasspath/a:/tmp/x.jar -cp -classpath -jar -Xshare:dump
-Dcassandra.config=file:///tmp/x -Dcom.sun.management.jmxremote.port=7199 -Dcassandra.jmx.remote.port=7199
-Djava.security.manager -Dlogback.configurationFile=/tmp/x -Djava.library.path=/tmp -Dcassandra.triggers_dir=/tmp
--add-opens=java.base/java.lang=ALL-UNNAMED --module-path=/tmp --patch-module=java.base=/tmp --upgrade-module-path=/tmp
-XX:+UseG1GC;id -XX:MaxGCPauseMillis=$(id) -Xmx8G,-javaagent:x -XX:G1HeapRegionSize=/tmp -XX:NativeMemoryTracking=detail
-XX:SelfDestructTimer=1 -XX:+UseHeavyMonitors @/tmp/x -Xmx -XX:MaxGCPauseMillis -XX:ShenandoahGCMode=/tmp
"""


def test_what_performance_engineers_tune_is_allowed():
    assert [option for option in ALLOWED.split() if not is_allowed(option)] == []


def test_what_runs_opens_reads_or_writes_something_is_refused():
    assert [option for option in DANGEROUS.split() if is_allowed(option)] == []


@pytest.mark.parametrize(
    "option", ["-XX:OnOutOfMemoryError=id", "-XX:+UseG1GC -javaagent:x", "-ea\n-ea", "", "-XX:+CMSé"]
)
def test_a_refusal_names_the_option_and_the_reason(option):
    reason = refusal({"jvm_options": ["-Xmx8G", option]})

    assert reason == (
        f"settings: jvm_options: {option!r} is not allowed: a run may set heap, garbage collector, compiler and "
        "memory options with numbers, but no commands, agents, files, classes or other system properties"
    )


@pytest.mark.parametrize("stated", ["-Xmx8G", {"-Xmx8G": 1}, [1], [None], [["-Xmx8G"]], None])
def test_options_that_are_no_list_of_strings_are_refused(stated):
    assert refusal({"jvm_options": stated}) == "settings: jvm_options must be a list of strings"


def test_a_plan_has_at_most_two_hundred_options():
    assert refusal({"jvm_options": ["-ea"] * 201}) == "settings: jvm_options may have at most 200 options"
    assert refusal({"jvm_options": ["-ea"] * 200}) is None
    assert refusal({}) is None
