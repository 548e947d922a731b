"""The download site that bootstrap scripts of the lab's hosts use: tarballs with their checksums beside them."""

import hashlib
import os
import tarfile
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from runners.load_tools.ycsb import ycsb
from tests.lab import distribution
from tests.lab.network import Network

SUMS = ("sha256", "sha512")


class Mirror:
    """Laid out as the archive of Apache Cassandra: <url>/<version>/apache-cassandra-<version>-bin.tar.gz and .sha256.

    It listens on the bridge, where every host of the lab reaches it, and this machine does. `downloads` counts by path.
    """

    def __init__(self, network: Network) -> None:
        self.downloads: Counter[str] = Counter()
        self._files: dict[str, Path] = {}
        self._made: dict[str, bytes] = {}
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                mirror.answer(self, with_body=True)

            def do_HEAD(self) -> None:
                mirror.answer(self, with_body=False)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer((network.gateway, 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://{network.gateway}:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="lab-mirror", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def add(self, path: str, file: Path) -> str:
        """Offer a file and its checksums; returns its address."""
        self._files[f"/{path}"] = file
        return f"{self.url}/{path}"

    def add_cassandra(self, version: str = distribution.SERVER) -> str:
        """Offer Cassandra (see distribution.py for what it is made of); returns the tarball's address."""
        is_official = version == distribution.STRESS
        tarball = distribution.official() if is_official else distribution.composed(version)
        return self.add(f"{version}/{tarball.name}", tarball)

    def add_maven(self) -> str:
        """Offer the HdrHistogram that 4.x's load tool needs on a new Java, as a Maven repository does; its address."""
        name = "HdrHistogram-2.1.12.jar"
        jar = distribution.composed().with_name(name)
        if not jar.exists():
            inside = f"apache-cassandra-{distribution.SERVER}/lib/{name}"
            with tarfile.open(distribution.composed()) as archive, archive.extractfile(inside) as content:
                fresh = jar.with_suffix(f".{os.getpid()}")
                fresh.write_bytes(content.read())
                fresh.rename(jar)
        self.add(f"org/hdrhistogram/HdrHistogram/2.1.12/{name}", jar)
        return self.url

    def add_ycsb(self) -> str:
        """Offer the jars of YCSB as a Maven repository does; its address."""
        jars = {jar.name: jar for jar in distribution.ycsb().rglob("*.jar")}
        for address in ycsb.addresses(""):
            self.add(address.removeprefix("/"), jars[address.rpartition("/")[2]])
        return self.url

    def spoil(self, path: str, content: bytes | None) -> None:
        """Answer with this instead, as a broken mirror does; None: as it should be again."""
        if content is None:
            self._made.pop(f"/{path}")
        else:
            self._made[f"/{path}"] = content

    def answer(self, request: BaseHTTPRequestHandler, *, with_body: bool) -> None:
        path = request.path.partition("?")[0]
        content = self._made.get(path, self._sum(path))
        file = self._files.get(path) if content is None else None
        if content is None and file is None:
            request.send_error(404)
            return
        size = len(content) if content is not None else file.stat().st_size if file else 0
        request.send_response(200)
        request.send_header("Content-Type", "text/plain" if content is not None else "application/gzip")
        request.send_header("Content-Length", str(size))
        request.end_headers()
        if not with_body:
            return
        self.downloads[path] += 1
        if content is not None:
            request.wfile.write(content)
        elif file is not None:
            with file.open("rb") as source:
                while block := source.read(1 << 20):
                    request.wfile.write(block)

    def _sum(self, path: str) -> bytes | None:
        """A checksum as the archive writes it: the hexadecimal digits alone."""
        for algorithm in SUMS:
            file = self._files.get(path.removesuffix(f".{algorithm}")) if path.endswith(f".{algorithm}") else None
            if file:
                with file.open("rb") as source:
                    return f"{hashlib.file_digest(source, algorithm).hexdigest()}\n".encode()
        return None
