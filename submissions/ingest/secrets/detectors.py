"""What a secret looks like in a text: by the name before it, by its place in a URL or a command, by its own shape.

Each pattern has one group that takes part in a match: what is masked.
"""

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass

from submissions.ingest.secrets.names import (
    KEYS,
    LONG_KEYS,
    PASSWORDS,
    SECRETS,
    TOKENS,
    is_placeholder,
    is_plausible,
    is_random,
)

MOST_CHARACTERS = 16_384  # of one secret


def _compiled(pattern: str) -> re.Pattern[str]:
    # ASCII: the bytes of a log come one character each, and 0xA0 inside a letter is no blank
    return re.compile(pattern, re.ASCII)


def _any(match: re.Match[str], secret: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Detector:
    kind: str  # in words, for the uploader
    literals: tuple[bytes, ...]  # lower case: each match contains one of them
    pattern: re.Pattern[str]
    accepts: Callable[[re.Match[str], str], bool] = _any

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the secrets of this kind are."""
        found = []
        for match in self.pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            end -= _loose_end(text[start:end])
            secret = text[start:end]
            if not is_placeholder(secret) and self.accepts(match, secret):
                found.append((start, end))
        return found


def _loose_end(value: str) -> int:
    """How many characters at the end belong to what encloses the value: `{db.passwd=abc}`, `(password=abc),`."""
    kept = value
    while kept and kept[-1] in ")]},;":
        opening = {")": "(", "]": "[", "}": "{"}.get(kept[-1])
        if opening and kept.count(opening) >= kept.count(kept[-1]):
            break
        kept = kept[:-1]
    return len(value) - len(kept)


_MOST = f"{{1,{MOST_CHARACTERS}}}"
# A value: quoted in one of the ways of JSON, shells and HTML, or a word. A word goes on until a blank, a quote, a tag,
# or until a separator that another name follows (`password=a&threads=4`, `{db.passwd=a, db.user=b}`).
_WORD = (
    r"""((?:[^\s"'<`\\,;&]|\\(?![nrt"'\n])|[,;](?!\s|$|[\w.-]{1,60}[=:])"""
    r"""|&(?![\w.-]{1,60}=|quot;|\#|lt;|gt;|amp;)|(?<=\w)[`<](?=\w))"""
    rf"{_MOST})"
)
_VALUE = (
    r"(?!\*not set\*)(?:"  # as cassandra-stress prints
    rf'\\"((?:[^"\\\n]|\\(?!")){_MOST})\\"'
    rf"|&quot;([^\n]{{1,{MOST_CHARACTERS}}}?)&quot;"
    rf'|"((?:[^"\\\n]|\\.){_MOST})"'
    rf"|'((?:[^'\\\n]|\\.){_MOST})'"
    rf"|(?:\\?[\"']|&quot;)?{_WORD}"
    r")"
)
_END_OF_NAME = r"""(?:\\?["']|&quot;)?"""
_IS = r"[ \t]*(?:=>|:=|=|:)[ \t]*"
# `--password abc`, with a line continued, and as words of a list: `"--password", "abc"`
_THEN = r"""(?:[ \t]+|[ \t]*\\\n[ \t]*|["'],[ \t]*)(?!-)"""


def _named(names: str) -> re.Pattern[str]:
    """A property, a header or a key of JSON: the value follows `=` or `:`."""
    return _compiled(rf"(?i)(?:{names})\d{{0,2}}{_END_OF_NAME}{_IS}{_VALUE}")


def _option(names: str) -> re.Pattern[str]:
    return _compiled(rf"(?i)(?<![\w-])--?(?!no-)[\w.-]{{0,60}}?(?:{names}){_THEN}{_VALUE}")


def _command(names: str) -> str:
    """A command and what stands before one of its options; its name begins another one, which is searched by itself.

    Else a line of nothing but names is searched once for each of them.
    """
    name = rf"\b(?:{names})\s"
    return rf"{name}(?:(?!{name})[^\n|;&]){{0,200}}?(?<=\s)"


def _of_name(match: re.Match[str], secret: str) -> bool:
    start = match.start(match.lastindex or 0)
    name = re.split(r"""["'=:\s&\\]""", match.string[match.start() : start], maxsplit=1)[0]
    return is_plausible(name.rstrip("0123456789"), secret)


def _of_option(match: re.Match[str], secret: str) -> bool:
    before = match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.start()]
    words = match.string[match.start() : match.start(match.lastindex or 0)]
    is_help_text = words.endswith("  ") and re.fullmatch(r"\s*(?:-\w,\s*)?", before) is not None
    name = re.split(r"""[\s"'\\]""", words, maxsplit=1)[0]
    return not is_help_text and is_plausible(name, secret)


def _of_secret(match: re.Match[str], secret: str) -> bool:
    """`secret: ` also begins a sentence."""
    start = match.start(match.lastindex or 0)
    is_prose = match.string[:start].endswith(": ")
    return not is_prose or len(secret) >= 16 or any(char.isdigit() for char in secret)


def _is_long(match: re.Match[str], secret: str) -> bool:
    return is_random(secret)


def _is_basic(match: re.Match[str], secret: str) -> bool:
    """Basic is base64 of `user:password`; the word alone is English."""
    try:
        return b":" in base64.b64decode(secret + "=" * (-len(secret) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False


def _is_no_property(match: re.Match[str], secret: str) -> bool:
    return re.match(r"[\w.]+=", secret) is None  # of YCSB: -p recordcount=1000


def _by_shape(
    kind: str, literals: tuple[bytes, ...], pattern: str, accepts: Callable[[re.Match[str], str], bool] = _any
) -> Detector:
    return Detector(kind, literals, _compiled(rf"(?<![A-Za-z0-9])({pattern})"), accepts)


_KEY_LITERALS = (
    b"secret",
    b"private",
    b"access",
    b"account",
    b"apikey",
    b"api_key",
    b"api-key",
    b"api.key",
    b"auth",
    b"master",
    b"encryption",
    b"signing",
    b"subscription",
)

DETECTORS = (
    Detector("password", (b"pass", b"pwd", b"masterauth"), _named(PASSWORDS), _of_name),
    Detector("password", (b"pass", b"pwd", b"masterauth"), _option(PASSWORDS), _of_option),
    Detector(
        "password", (b"requirepass", b"masterauth"), _compiled(rf"(?i)\b(?:requirepass|masterauth)[ \t]+{_VALUE}")
    ),
    Detector("secret", (b"secret",), _named(SECRETS), _of_secret),
    Detector("secret", (b"secret",), _option(SECRETS), _of_option),
    Detector("key", _KEY_LITERALS, _named(KEYS)),
    Detector("key", _KEY_LITERALS, _option(KEYS), _of_option),
    Detector("key", (b"primary",), _named(LONG_KEYS), _is_long),
    Detector("token", (b"token",), _named(TOKENS), _of_name),
    Detector("token", (b"token",), _option(TOKENS), _of_option),
    Detector(
        "password",
        (b"pass", b"pwd", b"secret", b"token"),
        _compiled(rf"(?i)<[\w:.-]{{0,60}}?(?:{PASSWORDS}|{SECRETS}|{TOKENS})>\s*([^<\s]{_MOST})\s*</"),
    ),
    Detector(
        "password",
        (b"password", b"identified"),
        _compiled(r"(?i)\b(?:password|identified\s+by(?:\s+password)?)\s+'([^'\n]{1,1000})'"),  # of SQL and CQL
    ),
    # The last @ before the path ends the password, else the last @ at all: both may stand in a password.
    Detector(
        "password in a URL",
        (b"://",),
        _compiled(
            r"""://[^\s:/@"'<>]{0,300}:(?!\d{1,5}(?:[/?#,\s"'<]|$))"""
            r"""(?:([^\s"'<>/]{1,1000})@|((?:(?!://)[^\s"'<>]){1,1000})@)(?=[\w\[%-])"""
        ),
    ),
    Detector("token in a URL", (b"://",), _compiled(r"://([^\s:/@\"'<>]{20,300})@(?=\w)"), _is_long),
    Detector(
        "signature in a URL",
        (b"sig=", b"signature="),
        _compiled(r"(?i)[?&;](?:sig|x-amz-signature|x-goog-signature|signature)=([\w%+/=-]{16,1000})"),
    ),
    Detector("password", (b"@tcp(", b"@unix("), _compiled(r"""[\w.-]{1,100}:([^\s"'/]{1,300})@(?:tcp|unix)\(""")),
    Detector("password", (b"oracle:",), _compiled(r"""(?i)jdbc:oracle:\w+:[\w.-]{1,100}/([^\s"'@]{1,300})@""")),
    Detector(
        "password",
        (b"cqlsh", b"mongosh", b"mongo ", b"sshpass", b"mysql"),
        _compiled("(?i)" + _command(r"cqlsh|mongosh|mongo|sshpass|mysql\w*") + r"""-p\s?["']?([^\s"'-][^\s"']*)"""),
        _is_no_property,
    ),
    Detector("password", (b"-pw",), _compiled(r"""(?<=\s)-pw[ =]["']?([^\s"'-][^\s"']*)""")),
    Detector(
        "password",
        (b"redis-", b"memtier"),
        _compiled(
            "(?i)"
            + _command(r"redis-\w+|memtier_benchmark")
            + r"""(?:-a|--auth|--authenticate)[ =]["']?([^\s"'-][^\s"']*)"""
        ),
    ),
    Detector(
        "password",
        (b"curl",),
        _compiled(_command("curl") + r"""(?:-u|--user)[ =]?["']?[^\s"':]{1,200}:([^\s"']+)"""),
    ),
    Detector(
        "authorization header",
        (b"authorization",),
        _compiled(
            r"""(?i)authorization["']?[ \t]*[:=][ \t]*["']?(?:[A-Za-z][\w-]{2,20}[ \t]+)?([\w.~+/=:-]{6,4096})"""
        ),
    ),
    Detector("authorization header", (b"bearer",), _compiled(r"(?i)\bbearer[ \t:=]+([A-Za-z0-9._~+/=-]{16,4096})")),
    Detector("authorization header", (b"basic",), _compiled(r"(?i)\bbasic\s+([A-Za-z0-9+/=]{8,4096})"), _is_basic),
    Detector("cookie", (b"cookie:",), _compiled(r"""(?i)\bcookie:[ \t]*([^\n"']{4,4096})""")),
    Detector(
        "private key",
        (b"private key-----", b"private key block-----"),
        _compiled(
            r"(?s)-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            rf"(?:((?:(?!-----BEGIN).){{1,{MOST_CHARACTERS}}}?)-----END|((?:[\s\\nr]*[A-Za-z0-9+/=]{{4,100}}){{1,400}}))"
        ),
    ),
    _by_shape("AWS access key", (b"akia", b"asia"), r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _by_shape("Google key", (b"aiza", b"ya29.", b"gocspx-"), r"AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}"),
    _by_shape("GitHub token", (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"), r"gh[pousr]_[A-Za-z0-9]{30,}"),
    _by_shape("GitHub token", (b"github_pat_",), r"github_pat_\w{22,}"),
    _by_shape("GitLab token", (b"glpat-", b"gldt-", b"glrt-", b"glcbt-"), r"gl(?:pat|dt|rt|cbt)-[\w.-]{20,}"),
    _by_shape("Slack token", (b"xox", b"xapp-"), r"xox[abeoprs](?:\.xox[a-z])?-[\w-]{10,}|xapp-[\w-]{10,}"),
    _by_shape("Slack webhook", (b"hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{20,}"),
    Detector("JSON Web Token", (b"eyj",), _compiled(r"(?<![\w-])(eyJ[\w-]{8,}\.eyJ[\w-]{4,}(?:\.[\w-]*)?)")),
    _by_shape("API key", (b"sk-",), r"sk-[A-Za-z0-9][\w-]{18,}[A-Za-z0-9]", _is_long),
    _by_shape("Stripe key", (b"k_live_", b"k_test_"), r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _by_shape("npm token", (b"npm_",), r"npm_[A-Za-z0-9]{36}"),
    _by_shape("PyPI token", (b"pypi-ag",), r"pypi-Ag[\w-]{50,}"),
    _by_shape("Vault token", (b"hvs.", b"hvb."), r"hv[sb]\.[\w-]{24,}"),
    _by_shape("SendGrid key", (b"sg.",), r"SG\.[\w-]{20,24}\.[\w-]{39,50}"),
    _by_shape("DigitalOcean token", (b"do1_v1_", b"dop_v1_", b"doo_v1_"), r"do[op1]_v1_[a-f0-9]{64}"),
    _by_shape("age key", (b"age-secret-key-",), r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
)

LITERALS = tuple(sorted({literal for detector in DETECTORS for literal in detector.literals}))
