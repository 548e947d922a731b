"""The life of one deployment: each step prints what it saw, and raises where it is not so."""

import json
import secrets
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

SLOW_CONNECTIONS = 48
PATIENCE_S = 600


@dataclass
class Deployment:
    """One project of compose in a folder with the source; HTTPS on a free port of loopback."""

    folder: Path
    compose: list[str]
    project: str = field(default_factory=lambda: f"benchsite-check-{secrets.token_hex(3)}")
    port: int = field(default_factory=lambda: _free_port())
    version: str = "first"

    def check(self) -> None:
        self.configure()
        self.up()
        print(f"up: {self.get('/healthz')}")
        self.hardened()
        self.limits_and_cache()
        token = self.run("exec", "-T", "web", "python", "manage.py", "create_token", "check", "--scope", "submit")
        self.upload(token.split()[-1])
        stored = self.stored()
        print(f"uploaded through the proxy: {len(stored)} submissions")
        self.slow_bodies()
        self.back_up_and_restore(stored)
        self.upgrade(self.stored())

    def configure(self) -> None:
        """.env and a certificate for localhost, as an operator makes them."""
        names = {name: secrets.token_hex(32) for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD")}
        names |= {
            "ALLOWED_HOSTS": "localhost",
            "PUBLISH_HTTP": f"127.0.0.1:{_free_port()}",
            "PUBLISH_HTTPS": f"127.0.0.1:{self.port}",
            "BENCHSITE_VERSION": self.version,
            "THROTTLE_ANON": "100000/min",
        }
        text = "".join(f"{name}={value}\n" for name, value in names.items())
        (self.folder / ".env").write_text(text)
        tls = self.folder / "deploy" / "tls"
        # fmt: off
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", tls / "privkey.pem", "-out", tls / "fullchain.pem"],
            check=True, capture_output=True,
        )
        # fmt: on

    def up(self) -> None:
        self.run("up", "--detach", "--build", "--scale", "worker=2")
        self.wait_for("the site", lambda: json.loads(self.get("/healthz"))["status"] == "ok")

    def hardened(self) -> None:
        """No process of the site is root, gains rights, or writes outside of its data."""
        script = (
            "set -e; test $(id -u) = 10001; grep -q '^NoNewPrivs:.*1' /proc/self/status;"
            " grep -q '^CapEff:.*0000000000000000' /proc/self/status; ! touch /app/x 2>/dev/null"
        )
        for service in ("web", "worker", "runs", "beat"):
            self.run("exec", "-T", service, "sh", "-c", script)
        reach = "import socket; socket.create_connection(('postgres', 5432), 3)"
        assert self.succeeds("exec", "-T", "web", "python", "-c", reach), "web does not reach PostgreSQL"
        assert not self.succeeds("exec", "-T", "proxy", "getent", "hosts", "postgres"), "the proxy reaches PostgreSQL"
        print("hardened: uid 10001, no capabilities, no new privileges, read-only; the proxy reaches web alone")

    def limits_and_cache(self) -> None:
        """Nobody outside sees how the site is doing; the proxy keeps what anybody may read."""
        shown = subprocess.run(
            [
                "curl",
                "-sS",
                "--cacert",
                self.certificate,
                "-w",
                "%{http_code}",
                "-o",
                "/dev/null",
                f"{self.url}/readyz",
            ],
            capture_output=True,
            text=True,
        ).stdout
        assert shown == "404", f"/readyz answers {shown} to the outside"
        style = next(part for part in self.get("/").split('"') if part.startswith("/static/css/site."))
        for _ in range(3):
            self.get(style)
        kept = self.run("exec", "-T", "proxy", "find", "/var/cache/pages", "-type", "f").split()
        assert kept, "the proxy keeps nothing"
        print("limits: /readyz is 404 outside; the proxy keeps a static file")

    def upload(self, token: str) -> None:
        log = next(path for path in sorted((self.folder / "tests").rglob("cs50-10*.log")))
        metadata = {
            "service": {"name": "cassandra"},
            "provider": "aws",
            "region": "us-east-1",
            "measured_at": "2026-05-04T12:00:00Z",
            "nodes": [{"role": "database", "count": 3, "instance_type": "m5.xlarge"}],
            "workload": {"tool": "cassandra-stress"},
        }
        command = ["curl", "-sS", "--fail-with-body", "--cacert", str(self.certificate)]
        command += [
            "-H",
            f"Authorization: Bearer {token}",
            "-F",
            f"log=@{log}",
            "-F",
            f"metadata={json.dumps(metadata)}",
        ]
        subprocess.run([*command, f"{self.url}/api/v1/submissions/import/"], check=True, capture_output=True)

    def slow_bodies(self) -> None:
        """More connections that send a byte now and then than the site has threads: others are served."""
        head = (
            "POST /api/v1/runs/estimate/ HTTP/1.1\r\nHost: localhost\r\n"
            "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
        )
        with ExitStack() as stack:
            for _ in range(SLOW_CONNECTIONS):
                raw = socket.create_connection(("127.0.0.1", self.port), timeout=10)
                secure = stack.enter_context(self.tls.wrap_socket(raw, server_hostname="localhost"))
                secure.sendall(head.encode())
            # those above the limit of one address are refused, so this one goes by the proxy's own network
            probe = "import urllib.request as r; print(r.urlopen('http://127.0.0.1:8000/healthz', timeout=5).status)"
            began = time.monotonic()
            assert self.run("exec", "-T", "web", "python", "-c", probe).strip() == "200"
            took = time.monotonic() - began
        print(f"{SLOW_CONNECTIONS} slow bodies: the site answers (probe and docker exec together {took:.1f} s)")

    def back_up_and_restore(self, stored: set[int]) -> None:
        """Into a volume of its own; the site is removed with all its data, and comes back from it.

        Workers load packs all the time, so there may be more than before; `restore` itself counts the rows.
        """
        volume = f"{self.project}_backup"
        mount = ["-v", f"{volume}:/backup"]
        self.docker("volume", "create", volume)
        self.docker(
            "run",
            "--rm",
            "--user=0",
            "-v",
            f"{volume}:/backup",
            f"benchsite:{self.version}",
            "chown",
            "10001",
            "/backup",
        )
        print(
            self.run(
                "run", "--rm", "--no-deps", *mount, "web", "python", "manage.py", "backup", "/backup"
            ).splitlines()[0]
        )
        self.run("down", "--volumes")
        self.run("up", "--detach", "postgres", "redis")
        self.wait_for("PostgreSQL", lambda: self.succeeds("exec", "-T", "postgres", "pg_isready", "--host=127.0.0.1"))
        print(
            self.run(
                "run", "--rm", "--no-deps", *mount, "web", "python", "manage.py", "restore", "/backup"
            ).splitlines()[0]
        )
        self.up()
        self.nothing_is_lost(stored, "the restore")
        self.run("exec", "-T", "web", "python", "manage.py", "check_artifacts")

    def upgrade(self, stored: set[int]) -> None:
        """Another version of the image in place of the first; the data stays."""
        self.version = "second"
        env = self.folder / ".env"
        env.write_text(env.read_text().replace("BENCHSITE_VERSION=first", "BENCHSITE_VERSION=second"))
        self.up()
        images = self.docker(
            "ps", "--filter", f"label=com.docker.compose.project={self.project}", "--format", "{{.Image}}"
        )
        assert "benchsite:first" not in images.split(), images
        self.nothing_is_lost(stored, "the upgrade")
        print(f"upgraded: {len(stored)} submissions kept")

    def nothing_is_lost(self, stored: set[int], by: str) -> None:
        lost = stored - self.stored()
        assert not lost, f"{len(lost)} of {len(stored)} submissions are gone after {by}: {sorted(lost)[:10]}"

    def remove(self) -> None:
        self.succeeds("down", "--volumes", "--remove-orphans")
        subprocess.run(["docker", "volume", "rm", "--force", f"{self.project}_backup"], capture_output=True)

    def show_logs(self) -> None:
        subprocess.run([*self.command, "logs", "--tail=40"], cwd=self.folder, check=False)

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    @property
    def certificate(self) -> Path:
        return self.folder / "deploy" / "tls" / "fullchain.pem"

    @property
    def tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate))

    @property
    def command(self) -> list[str]:
        return [*self.compose, "--project-name", self.project]

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"{self.url}{path}", context=self.tls, timeout=30) as answer:
            text: str = answer.read().decode()
            return text

    def stored(self) -> set[int]:
        """The numbers of all submissions."""
        script = "from submissions.models import Submission; print(*Submission.objects.values_list('pk', flat=True))"
        printed = self.run("exec", "-T", "web", "python", "manage.py", "shell", "--no-imports", "-c", script)
        return {int(number) for number in printed.split()}

    def run(self, *words: str) -> str:
        done = subprocess.run([*self.command, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(
                f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
            )
        return done.stdout

    def succeeds(self, *words: str) -> bool:
        return (
            subprocess.run([*self.command, *words], cwd=self.folder, capture_output=True, check=False).returncode == 0
        )

    def docker(self, *words: str) -> str:
        return subprocess.check_output(["docker", *words], text=True)

    def wait_for(self, what: str, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                if is_so():
                    return
            except (OSError, ValueError):
                pass  # not yet
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what} is not up after {PATIENCE_S} s")
            time.sleep(2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
