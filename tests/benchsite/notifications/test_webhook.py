"""Where a webhook may go, and what comes of each answer. The receiver is a real one on loopback."""

import ipaddress
import socket
import ssl
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from benchsite.notifications import webhook
from benchsite.notifications.webhook import Refused, Undelivered
from tests.runners.receivers import receiver


@pytest.fixture
def private(settings):
    """Loopback may be called."""
    settings.WEBHOOK_PRIVATE = True


@pytest.fixture
def answers_of_dns(monkeypatch):
    """A function: what the next name that is looked up stands for; the one after it stands for nothing."""
    real = socket.getaddrinfo

    def become(*addresses):
        left = [addresses]

        def looked_up(name, port, *args, **keywords):
            if webhook.literal_address(name):
                return real(name, port, *args, **keywords)
            family = {True: socket.AF_INET6, False: socket.AF_INET}
            return [(family[":" in one], socket.SOCK_STREAM, 6, "", (one, port)) for one in left.pop(0)]

        monkeypatch.setattr(webhook.socket, "getaddrinfo", looked_up)

    return become


def context_for(name, folder, monkeypatch):
    """A server's TLS for `name`; its certificate is the only one that is trusted."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key").write_bytes(pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(folder / "crt"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "crt", folder / "key")
    return context


def test_the_content_arrives_as_json_under_the_given_name_and_path(private):
    with receiver([202]) as taker:
        status = webhook.post(taker.url(), {"run": 7, "total_usd": None})

        assert status == 202
        assert taker.seen == [
            {
                "path": "/hook?a=1",
                "headers": {"Host": f"localhost:{taker.port}", "Content-Type": "application/json"},
                "body": {"run": 7, "total_usd": None},
            }
        ]


@pytest.mark.parametrize("status", [301, 307, 404, 500])
def test_an_answer_that_is_no_success_is_not_delivered_and_no_redirect_is_followed(private, status):
    with receiver() as other, receiver([status], headers={"Location": other.url()}) as taker:
        with pytest.raises(Undelivered, match=f"the receiver answered with status {status}"):
            webhook.post(taker.url(), {})

        assert (len(taker.seen), other.seen) == (1, [])


def test_a_receiver_that_is_not_there_is_not_delivered(private):
    with receiver() as taker:
        address = taker.url()

    with pytest.raises(Undelivered, match="the receiver did not answer: NewConnectionError"):
        webhook.post(address, {})


def test_a_receiver_that_never_answers_is_given_up(private, monkeypatch):
    monkeypatch.setattr(webhook, "TIMEOUT", webhook.urllib3.Timeout(connect=0.2, read=0.2))
    silent = socket.create_server(("127.0.0.1", 0))
    with silent, pytest.raises(Undelivered, match="the receiver did not answer: ReadTimeoutError"):
        webhook.post(f"http://127.0.0.1:{silent.getsockname()[1]}/", {})


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("https://hooks.example.org/x?y=1", None),
        ("https://8.8.8.8/", None),
        ("http://hooks.example.org/", "must be an https:// URL"),
        ("ftp://hooks.example.org/", "must be an https:// URL"),
        ("https:///x", "must be an https:// URL"),
        ("hooks.example.org", "must be an https:// URL"),
        ("https://hooks.example.org:port/", "is not a URL"),
        ("https://[::1", "is not a URL"),
        ("https://user:pass@hooks.example.org/", "must not contain a user name, spaces or non-ASCII characters"),
        ("https://hooks.example.org/a b", "must not contain a user name, spaces or non-ASCII characters"),
        ("https://hooks.example.org/\r\nX: y", "must not contain a user name, spaces or non-ASCII characters"),
        ("https://127.0.0.1/", "is not a public address"),
        ("https://169.254.169.254/latest/meta-data/", "is not a public address"),
        ("https://10.1.2.3/", "is not a public address"),
        ("https://100.64.0.1/", "is not a public address"),
        ("https://0.0.0.0/", "is not a public address"),
        ("https://224.0.0.1/", "is not a public address"),
        ("https://192.0.0.192/", "is not a public address"),  # one cloud's metadata
        ("https://192.88.99.1/", "is not a public address"),
        ("https://168.63.129.16/machine?comp=goalstate", "is not a public address"),  # the agent of Azure's hosts
        ("https://[::1]/", "is not a public address"),
        ("https://[fec0::1]/", "is not a public address"),
        ("https://[64:ff9b:1::a00:1]/", "is not a public address"),
        ("https://[3fff::1]/", "is not a public address"),
        ("https://[fe80::1]/", "is not a public address"),
        ("https://[fd00::1]/", "is not a public address"),
        ("https://[::ffff:127.0.0.1]/", "is not a public address"),
        ("https://[64:ff9b::a00:1]/", "is not a public address"),  # 10.0.0.1 behind NAT64
        ("https://[2002:7f00:1::]/", "is not a public address"),  # 127.0.0.1 in 6to4
        ("https://[2002:a83f:8110::]/", "is not a public address"),  # the agent in 6to4
        ("https://[2001:20::1]/", "is not a public address"),
        ("https://[100:0:0:1::1]/", "is not a public address"),
        ("https://[5f00::1]/", "is not a public address"),
    ],
)
def test_an_address_says_what_is_wrong_with_it(address, fault):
    assert webhook.fault_of(address) == fault


@pytest.mark.parametrize(
    "address", ["192.0.0.9", "192.88.99.1", "2001:1::1", "2001:3::1", "2001:20::1", "2001:30::1", "100:0:0:1::1"]
)
def test_what_other_versions_of_python_take_for_public_is_refused_by_our_own_list(address, monkeypatch):
    for kind in (ipaddress.IPv4Address, ipaddress.IPv6Address):
        for name, value in {"is_global": True, "is_reserved": False, "is_multicast": False}.items():
            monkeypatch.setattr(kind, name, value)
    host = f"[{address}]" if ":" in address else address

    assert webhook.fault_of("https://8.8.8.8/") is None
    assert webhook.fault_of(f"https://{host}/") == "is not a public address"


@pytest.mark.parametrize("inside", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "168.63.129.16", "::1"])
def test_a_name_of_our_own_network_is_not_called(answers_of_dns, inside):
    answers_of_dns("8.8.8.8", inside)

    with pytest.raises(Refused, match="is not a public address"):
        webhook.post("https://hooks.example.org/", {})


def test_other_spellings_of_loopback_are_not_called():
    for spelling in ("https://127.1/", "https://2130706433/", "https://localhost/"):
        with pytest.raises(Refused, match="is not a public address"):
            webhook.post(spelling, {})


def test_a_name_is_looked_up_once_and_that_address_is_called(private, answers_of_dns):
    """A name that answers differently the second time leads nowhere: there is no second time."""
    with receiver() as taker:
        answers_of_dns("127.0.0.1")
        webhook.post(taker.url(name="hooks.example.org"), {})

        assert [one["headers"]["Host"] for one in taker.seen] == [f"hooks.example.org:{taker.port}"]


def test_a_name_that_is_unknown_is_not_delivered(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(webhook.socket, "getaddrinfo", unknown)

    with pytest.raises(Undelivered, match=r"hooks\.example\.org cannot be resolved"):
        webhook.post("https://hooks.example.org/", {})


def test_the_certificate_is_the_names_although_the_address_is_called(private, tmp_path, monkeypatch, answers_of_dns):
    tls = context_for("hooks.example.org", tmp_path, monkeypatch)
    with receiver(tls=tls) as taker:
        answers_of_dns("127.0.0.1")
        assert webhook.post(taker.url(scheme="https", name="hooks.example.org"), {}) == 204

        answers_of_dns("127.0.0.1")
        with pytest.raises(Undelivered, match="the receiver did not answer: SSLError"):
            webhook.post(taker.url(scheme="https", name="other.example.org"), {})

        assert len(taker.seen) == 1
