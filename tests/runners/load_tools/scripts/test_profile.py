"""The profiler in a running process that answers as Java does."""

import os
import subprocess
import sys
import zipfile

from tests.runners.load_tools.scripts.running import run

# As Java does: SIGQUIT makes it listen, if the file is there that asks for it; it answers one command a connection.
JAVA = """
import os, signal, socket
pid = os.getpid()
address = f"/tmp/.java_pid{pid}"
server = socket.socket(socket.AF_UNIX)
def listen(*_):
    assert os.path.exists(f"/tmp/.attach_pid{pid}")
    server.bind(address)
    server.listen()
signal.signal(signal.SIGQUIT, listen)
print("up", flush=True)
signal.pause()
for answer in (b"0\\n0\\n", b"0\\nreturn code: 0\\n", b"0\\n100\\n"):
    connection, _ = server.accept()
    print(connection.recv(4096).decode().replace(chr(0), " "), flush=True)
    connection.sendall(answer)
    connection.close()
os.unlink(address)
"""


def test_a_profiler_is_loaded_into_the_running_process_of_the_database(tmp_path):
    word = f"light-database-{os.getpid()}"
    with subprocess.Popen([sys.executable, "-c", JAVA, word], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as java:
        assert java.stdout.readline() == "up\n"
        pattern = f"[l]{word[1:]}"
        done = [
            run("profile.py", *words, cwd=tmp_path)
            for words in (("start", pattern), ("stop", pattern, "log/x.collapsed"), ("start", pattern))
        ]
        heard = java.stdout.read().split("\n")

    library = tmp_path / "dist/async-profiler.so"
    assert heard[:2] == [
        f"1 load {library} true start,event=ctimer,interval=10ms ",
        f"1 load {library} true stop,file={tmp_path}/log/x.collapsed,collapsed ",
    ]
    assert [status for status, _, _ in done] == [0, 0, 1]
    assert "async-profiler cannot be loaded: 0\n100" in done[2][2]
    assert run("profile.py", "start", pattern, cwd=tmp_path)[2].startswith("no process of this folder matches")


def test_the_library_for_the_processor_is_unpacked(tmp_path):
    (tmp_path / "dist").mkdir()
    with zipfile.ZipFile(tmp_path / "x.jar", "w") as jar:
        for kind in ("linux-x64", "linux-arm64"):
            jar.writestr(f"{kind}/libasyncProfiler.so", kind)

    assert run("profile.py", "unpack", "x.jar", cwd=tmp_path)[0] == 0
    kind = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[os.uname().machine]
    assert (tmp_path / "dist/async-profiler.so").read_text() == kind
