"""One POST to an address that a user named: never to a machine of our own network, and never for long."""

import ipaddress
import json
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

import urllib3
from django.conf import settings

# The receiver has these seconds to take the connection, and to begin its answer, whose body nobody reads.
TIMEOUT = urllib3.Timeout(connect=5, read=10)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Refused(Exception):
    """We do not call this address; asking again will not help."""


class Undelivered(Exception):
    """The receiver did not take it this time."""


def fault_of(url: str) -> str | None:
    """What is wrong with the address itself, in a few words; names are looked up only when it is called."""
    try:
        parts = _parts(url)
        literal = _literal(parts.hostname or "")
        if literal is not None:
            _check(literal)
    except Refused as error:
        return str(error)
    return None


def post(url: str, content: Mapping[str, Any]) -> int:
    """Send `content` as JSON; the 2xx status of the answer. Raises Refused or Undelivered.

    The connection goes to the very address that was checked, so that a name which answers differently the next time
    leads nowhere else; the certificate is still the name's. Redirects are an error.
    """
    parts = _parts(url)
    name = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"Host": parts.netloc, "Content-Type": "application/json", "User-Agent": "benchsite"}
    with _pool(parts.scheme, name, _address_of(name, port), port) as pool:
        try:
            answer = pool.urlopen(
                "POST",
                path,
                body=json.dumps(content).encode(),
                headers=headers,
                retries=False,
                redirect=False,
                preload_content=False,
            )
        except urllib3.exceptions.HTTPError as error:
            raise Undelivered(f"the receiver did not answer: {type(error).__name__}") from error
        status = answer.status
        answer.close()
    if not 200 <= status < 300:
        raise Undelivered(f"the receiver answered with status {status}")
    return status


def _parts(url: str) -> SplitResult:
    allowed = ("https", "http") if settings.WEBHOOK_PRIVATE else ("https",)
    try:
        parts = urlsplit(url)
        port_is_whole = parts.port is None or parts.port > 0
        name = (parts.hostname or "").encode("idna")
    except ValueError as error:  # a port that is no number, brackets without an address, a name that cannot be
        raise Refused("is no address") from error
    if parts.scheme not in allowed or not name or not port_is_whole:
        raise Refused("must be an https:// address")
    if "@" in parts.netloc or any(ord(letter) <= ord(" ") or ord(letter) > ord("~") for letter in url):
        raise Refused("must not have a user name, spaces or letters other than ASCII's")
    return parts


def _pool(scheme: str, name: str, address: str, port: int) -> urllib3.HTTPConnectionPool:
    if scheme == "http":
        return urllib3.HTTPConnectionPool(address, port, timeout=TIMEOUT, maxsize=1)
    return urllib3.HTTPSConnectionPool(
        address, port, timeout=TIMEOUT, maxsize=1, server_hostname=name, assert_hostname=name
    )


def _address_of(name: str, port: int) -> str:
    """The first address of a name, once all of them are known to be public ones."""
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Undelivered(f"{name} has no address") from error
    addresses = [ipaddress.ip_address(str(sockaddr[0])) for *_, sockaddr in found]
    for address in addresses:
        _check(address)
    return str(addresses[0])


def _check(address: Address) -> None:
    inner = _inner(address)
    public = all(one.is_global and not one.is_multicast and not one.is_reserved for one in (address, *inner))
    if not public and not settings.WEBHOOK_PRIVATE:
        raise Refused("is not a public address")


def _inner(address: Address) -> list[Address]:
    """What a tunnel or a translation reaches by an IPv6 address; one that maps IPv4 counts as reserved itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found: list[Address] = [address.sixtofour] if address.sixtofour else []
    if address.teredo:
        found += address.teredo
    if address in ipaddress.ip_network("64:ff9b::/96"):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return found


def _literal(name: str) -> Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
