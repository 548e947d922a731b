"""One POST to a URL from a user: never to a machine of the site's own network, and never for long."""

import hashlib
import hmac
import ipaddress
import json
import socket
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

import urllib3
from django.conf import settings

# In seconds, to accept the connection and to begin the answer; the body of the answer is not read.
TIMEOUT = urllib3.Timeout(connect=5, read=10)

# What some versions of Python take for public, by IANA's registries of special-purpose addresses; the last one is the
# agent of Azure on each of its virtual machines ("What is IP address 168.63.129.16?" in its documentation).
_NOT_PUBLIC = [
    ipaddress.ip_network(text)
    for text in (
        "192.0.0.0/24",  # protocol assignments; the metadata of one cloud is among them
        "192.88.99.0/24",  # 6to4 relays
        "2001::/23",  # protocol assignments: Teredo, benchmarking, identifiers of hosts and drones (2001:20::/28)
        "64:ff9b:1::/48",  # local translation
        "100::/32",  # discard, dummy
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
        "fec0::/10",  # site-local
        "168.63.129.16/32",
    )
]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Refused(Exception):
    """The URL must not be called; a retry will not help."""


class Undelivered(Exception):
    """The receiver did not accept the POST this time."""


def fault_of(url: str) -> str | None:
    """What is wrong with the URL itself, in a few words; its host is resolved only when it is called."""
    try:
        parts = _parts(url)
        literal = literal_address(parts.hostname or "")
        if literal is not None:
            _check(literal)
    except Refused as error:
        return str(error)
    return None


def post(url: str, content: Mapping[str, Any], secret: str = "") -> int:
    """Send `content` as JSON; the 2xx status of the answer. Raises Refused or Undelivered.

    With a `secret` the request is signed: see `signature_headers`.

    The connection uses the IP address that was checked: a host name that resolves differently the next time leads
    nowhere else, while the certificate must still match the name. Redirects are an error.
    """
    parts = _parts(url)
    name = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    body = json.dumps(content).encode()
    headers = {"Host": parts.netloc, "Content-Type": "application/json", "User-Agent": "benchsite"}
    if secret:
        headers |= signature_headers(secret, body, int(time.time()))
    with _pool(parts.scheme, name, _address_of(name, port), port) as pool:
        try:
            answer = pool.urlopen(
                "POST",
                path,
                body=body,
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


def signature_headers(secret: str, body: bytes, moment: int) -> dict[str, str]:
    """By which the receiver knows the sender: HMAC-SHA256, in hex, of "<Unix seconds>.<body>"."""
    digest = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Benchsite-Timestamp": str(moment), "X-Benchsite-Signature": f"sha256={digest}"}


def _parts(url: str) -> SplitResult:
    allowed = ("https", "http") if settings.WEBHOOK_PRIVATE else ("https",)
    try:
        parts = urlsplit(url)
        port_is_whole = parts.port is None or parts.port > 0
        name = (parts.hostname or "").encode("idna")
    except ValueError as error:  # an invalid port, IPv6 address or name
        raise Refused("is not a URL") from error
    if parts.scheme not in allowed or not name or not port_is_whole:
        raise Refused("must be an https:// URL")
    if "@" in parts.netloc or any(ord(character) <= ord(" ") or ord(character) > ord("~") for character in url):
        raise Refused("must not contain a user name, spaces or non-ASCII characters")
    return parts


def _pool(scheme: str, name: str, address: str, port: int) -> urllib3.HTTPConnectionPool:
    if scheme == "http":
        return urllib3.HTTPConnectionPool(address, port, timeout=TIMEOUT, maxsize=1)
    return urllib3.HTTPSConnectionPool(
        address, port, timeout=TIMEOUT, maxsize=1, server_hostname=name, assert_hostname=name
    )


def _address_of(name: str, port: int) -> str:
    """The first IP address of a host, once all of its addresses are known to be public."""
    try:
        infos = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Undelivered(f"{name} cannot be resolved") from error
    addresses = [ipaddress.ip_address(str(sockaddr[0])) for *_, sockaddr in infos]
    for address in addresses:
        _check(address)
    return str(addresses[0])


def _check(address: Address) -> None:
    addresses = (address, *_embedded(address))
    if not all(map(_is_public, addresses)) and not settings.WEBHOOK_PRIVATE:
        raise Refused("is not a public address")


def _is_public(address: Address) -> bool:
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    return not any(address in network for network in _NOT_PUBLIC)


def _embedded(address: Address) -> list[Address]:
    """The addresses that an IPv6 address reaches through a tunnel or a translation; mapped IPv4 is reserved itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    embedded: list[Address] = [address.sixtofour] if address.sixtofour else []
    if address.teredo:
        embedded += address.teredo
    if address in ipaddress.ip_network("64:ff9b::/96"):
        embedded.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return embedded


def literal_address(name: str) -> Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
