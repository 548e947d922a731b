"""The options of the JVM that a plan may set: heap, garbage collector, compiler and memory, with numbers for values.

A list of allowed options, since any signed-in user may set them: OnOutOfMemoryError runs a command, an agent opens a
port, and every option with a path reads or writes the files of the machine.
"""

import re
from collections.abc import Mapping
from typing import Any

KEY = "jvm_options"
MAX_OPTIONS = 200
_SHOWN = 80  # characters of a refused option

_SIZES = re.compile(r"-X(?:m[snx]|ss)[0-9]{1,15}[kKmMgGtT]?")
_PLAIN = frozenset({"-server", "-ea", "-da", "-Xint", "-Xcomp", "-Xbatch", "-Xnoclassgc"})

# -XX:+Name and -XX:-Name
_SWITCHES = re.compile(
    r"-XX:[+-](?:"
    r"Use\w{1,20}GC|Use(?:Adaptive|DynamicNumberOf|NUMA|Compressed|Numa)\w{0,30}|Use\w{1,30}Intrinsics?|"
    r"Use(?:AES|AVX|Aes|BMI1Instructions|BMI2Instructions|BiasedLocking|CLMUL|CMSInitiatingOccupancyOnly|"
    r"CodeCacheFlushing|CompactObjectHeaders|CondCardMark|ContainerSupport|CountedLoopSafepoints|FMA|FastAccessorMethods|"
    r"FastUnorderedTimeStamps|GCOverheadLimit|GCTaskAffinity|HugeTLBFS|LargePages|LargePagesInMetaspace|"
    r"LargePagesIndividualAllocation|OnStackReplacement|PSAdaptiveSurvivorSizePolicy|PerfData|RTMDeopt|RTMLocking|SHA|SHM|"
    r"StringCache|StringDeduplication|SuperWord|TLAB|ThreadPriorities|TransparentHugePages|UnalignedAccesses)|"
    r"AggressiveHeap|AggressiveOpts|AlignVector|AlwaysPreTouch|AlwaysPreTouchStacks|AlwaysTenure|BackgroundCompilation|"
    r"CMS\w{1,40}|ClassUnloading|ClassUnloadingWithConcurrentMark|CompactStrings|DisableExplicitGC|DoEscapeAnalysis|"
    r"Eliminate(?:Allocations|AutoBox|Locks|NestedLocks)|ExitOnOutOfMemoryError|ExplicitGCInvokesConcurrent|"
    r"ExplicitGCInvokesConcurrentAndUnloadsClasses|G1(?:Use|Eager|Periodic)\w{1,40}|Inline|NeverTenure|"
    r"OmitStackTraceInFastThrow|OptimizeFill|OptimizeStringConcat|ParallelRefProc\w{1,20}|PerfDisableSharedMem|"
    r"PreferContainerQuotaForCPUCount|ReduceInitialCardMarks|ResizePLAB|ResizeTLAB|RestrictContended|"
    r"ScavengeBeforeFullGC|SegmentedCodeCache|Shenandoah(?:Pacing|Uncommit|ElasticTLAB|ImplicitGCInvokesConcurrent)|"
    r"ShrinkHeapInSteps|TieredCompilation|UnlockDiagnosticVMOptions|UnlockExperimentalVMOptions|"
    r"ZGenerational|ZProactive|ZUncommit|ZeroTLAB"
    r")",
    re.ASCII,
)

# -XX:Name=number, where a unit may follow
_NUMBERS = re.compile(
    r"-XX:(?:"
    r"(?:G1|CMS|Tier[0-9])\w{1,60}|Shenandoah\w{1,60}|AllocatePrefetch\w{1,20}|"
    r"ActiveProcessorCount|AdaptiveSize\w{1,40}|AutoBoxCacheMax|BiasedLockingStartupDelay|CICompilerCount|"
    r"CompileThreshold|CompileThresholdScaling|CompressedClassSpaceSize|ConcGCThreads|FreqInlineSize|"
    r"GCLockerRetryAllocationCount|GCPauseIntervalMillis|GCTimeLimit|GCTimeRatio|GuaranteedSafepointInterval|"
    r"InitialCodeCacheSize|InitialHeapSize|InitialRAM(?:Fraction|Percentage)|InitialSurvivorRatio|"
    r"InitialTenuringThreshold|InitiatingHeapOccupancyPercent|InlineSmallCode|LargePageSizeInBytes|LoopMaxUnroll|"
    r"LoopStripMiningIter|LoopUnrollLimit|MarkStackSize|MarkStackSizeMax|MaxDirectMemorySize|MaxGCMinorPauseMillis|"
    r"MaxGCPauseMillis|MaxHeapFreeRatio|MaxHeapSize|MaxInlineLevel|MaxInlineSize|MaxMetaspaceFreeRatio|MaxMetaspaceSize|"
    r"MaxNewSize|MaxRAM|MaxRAM(?:Fraction|Percentage)|MaxRecursiveInlineLevel|MaxTenuringThreshold|MaxTrivialSize|"
    r"MaxVectorSize|MetaspaceSize|MinHeapFreeRatio|MinHeapSize|MinMetaspaceFreeRatio|MinRAM(?:Fraction|Percentage)|"
    r"MinTLABSize|NewRatio|NewSize|NonNMethodCodeHeapSize|NonProfiledCodeHeapSize|ObjectAlignmentInBytes|OldPLABSize|"
    r"OldSize|ParGCCardsPerStrideChunk|ParallelGCThreads|PreTouchParallelChunkSize|PretenureSizeThreshold|"
    r"ProfiledCodeHeapSize|ReservedCodeCacheSize|SoftMaxHeapSize|SoftRefLRUPolicyMSPerMB|StringDeduplicationAgeThreshold|"
    r"StringTableSize|SurvivorRatio|SymbolTableSize|TLABSize|TLABWasteTargetPercent|TargetSurvivorRatio|"
    r"ThreadPriorityPolicy|ThreadStackSize|TieredStopAtLevel|UseAVX|UseSSE|YoungPLABSize|"
    r"ZAllocationSpikeTolerance|ZCollectionInterval|ZFragmentationLimit|ZUncommitDelay"
    r")=[0-9]{1,15}(?:\.[0-9]{1,6})?[kKmMgGtT]?",
    re.ASCII,
)
# Of Cassandra's own properties, those that set how long it waits and how many threads it has
_PROPERTIES = re.compile(
    r"-D(?:cassandra\.(?:available_processors|max_local_pause_in_ms|ring_delay_ms|"
    r"skip_wait_for_gossip_to_settle|superuser_setup_delay_ms)"
    r"|io\.netty\.(?:eventLoopThreads|allocator\.numDirectArenas|allocator\.numHeapArenas))=-?[0-9]{1,9}"
)
_WORDS = re.compile(
    r"-XX:ShenandoahGCHeuristics=(?:adaptive|static|compact|aggressive|passive)"
    r"|-XX:ShenandoahGCMode=(?:satb|iu|passive|generational)"
)


def refusal(settings: Mapping[str, Any]) -> str | None:
    """Why the options of the plan cannot be used, in one sentence; None when they can."""
    options = settings.get(KEY, [])
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        return f"settings: {KEY} must be a list of strings"
    if len(options) > MAX_OPTIONS:
        return f"settings: {KEY} may have at most {MAX_OPTIONS} options"
    refused = next((option for option in options if not is_allowed(option)), None)
    if refused is None:
        return None
    return (
        f"settings: {KEY}: {refused[:_SHOWN]!r} is not allowed: a run may set heap, garbage collector, compiler and "
        "memory options with numbers, but no commands, agents, files, classes or other system properties"
    )


def is_allowed(option: str) -> bool:
    if option in _PLAIN:
        return True
    return any(pattern.fullmatch(option) for pattern in (_SIZES, _SWITCHES, _NUMBERS, _PROPERTIES, _WORDS))
