"""What `serve` prints last: where the site is, and the password of its first administrator, in a box."""

import http.client
import sys
from contextlib import suppress

from benchsite.ops import health

TIMEOUT_SECONDS = 1
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104  compared, not bound


class Announcement:
    """Printed once, when the site answers that it is ready."""

    def __init__(self, host: str, port: int, password: str):
        """`password`: of the administrator that this start has made; "" when there was one."""
        self._host, self._port, self._password = host, port, password
        self._is_due = True

    def print_when_ready(self) -> None:
        if self._is_due and self._is_ready():
            self._print(["Benchsite runs at " + self._address, *self._sign_in(), "Ctrl-C stops it."])

    def print_password(self) -> None:
        """At the end of a site that was never ready: the password is written nowhere else."""
        if self._is_due and self._password:
            self._print(self._sign_in())

    @property
    def _address(self) -> str:
        shown = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{shown}:{self._port}/"

    def _sign_in(self) -> list[str]:
        if not self._password:
            return []
        return [f"First start: sign in as admin, password {self._password}", "(shown only now)"]

    def _is_ready(self) -> bool:
        connection = http.client.HTTPConnection(
            ANYWHERE.get(self._host, self._host), self._port, timeout=TIMEOUT_SECONDS
        )
        with suppress(OSError, http.client.HTTPException):
            connection.request("GET", health.READYZ)
            return connection.getresponse().status == 200
        connection.close()
        return False

    def _print(self, lines: list[str]) -> None:
        self._is_due = False
        sys.stdout.write(boxed(lines, sys.stdout.encoding))
        sys.stdout.flush()


def boxed(lines: list[str], encoding: str) -> str:
    """The lines in a frame, drawn with what the terminal can show."""
    width = max(map(len, lines))
    corners, line, side = ("┌", "┐", "└", "┘"), "─", "│"
    try:
        "".join((*corners, line, side)).encode(encoding)
    except UnicodeEncodeError:
        corners, line, side = ("+",) * 4, "-", "|"
    inside = [f"{side}  {text:<{width}}  {side}" for text in lines]
    top = corners[0] + line * (width + 4) + corners[1]
    bottom = corners[2] + line * (width + 4) + corners[3]
    return "\n".join(["", top, *inside, bottom, "", ""])
