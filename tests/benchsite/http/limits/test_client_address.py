"""Who asks is an address that nobody can choose: not by a header, not out of the 2^64 of an IPv6 network."""

import pytest
from django.test import RequestFactory

from benchsite.http.limits.client_address import client_address


def address(**meta):
    return client_address(RequestFactory().get("/", **meta))


@pytest.mark.parametrize(
    ("seen", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::ffff", "2001:db8:1:3::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("unix:", "unix:"),
    ],
)
def test_an_ipv6_address_is_its_network(seen, counted):
    assert address(REMOTE_ADDR=seen) == counted


@pytest.mark.parametrize(
    ("proxies", "forwarded", "counted"),
    [
        (0, "198.51.100.9", "192.0.2.1"),
        (1, "198.51.100.9", "198.51.100.9"),
        (1, "203.0.113.1, 198.51.100.9", "198.51.100.9"),
        (2, "203.0.113.1, 198.51.100.9", "203.0.113.1"),
        (2, "198.51.100.9", "198.51.100.9"),
        (1, "203.0.113.1, 2001:db8:1:2::9", "2001:db8:1:2::/64"),
        (1, None, "192.0.2.1"),
    ],
)
def test_a_header_counts_only_behind_our_proxies(settings, proxies, forwarded, counted):
    settings.PROXIES = proxies
    header = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}

    assert address(REMOTE_ADDR="192.0.2.1", **header) == counted
