"""Whose request it is: the address behind our own proxies, an IPv6 one by the network that a site gets."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

IPV6_PREFIX = 64  # bits: what one household or server has to itself


def client_address(request: HttpRequest) -> str:
    """As text, "" where the server does not know it. X-Forwarded-For counts only behind PROXIES of ours."""
    return network_of(_address(request))


def network_of(address: str) -> str:
    """An IPv4 address as it is, also where it is written as IPv6; an IPv6 one as its /64; other text as it is."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ip_network((parsed, IPV6_PREFIX), strict=False))
    return str(parsed)


def _address(request: HttpRequest) -> str:
    """The one that the outermost proxy of ours has seen; of a shorter list its first, as REST framework does."""
    remote: str = request.META.get("REMOTE_ADDR", "")
    forwarded: str | None = request.META.get("HTTP_X_FORWARDED_FOR")
    proxies: int = settings.PROXIES
    if not proxies or not forwarded:
        return remote
    addresses = [part.strip() for part in forwarded.split(",")]
    return addresses[-min(proxies, len(addresses))]
