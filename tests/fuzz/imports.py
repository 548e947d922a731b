"""Uploads of logs: odd files, names, forms, facts and character sets; lines of JSON."""

import json
from collections.abc import Callable, Iterator
from functools import partial

from tests.documents import document, metadata
from tests.fuzz.archives import GOOD, LOG, mutated_logs, odd_files
from tests.fuzz.cases import BOUNDARY, JSON, MULTIPART, Body, Case, Part, multipart
from tests.fuzz.json_bodies import SUBMISSIONS, whole_amendment, whole_document
from tests.fuzz.site import Rows
from tests.fuzz.values import JSON_TEXTS, TEXTS

IMPORT = "/api/v1/submissions/import/"
FORM = "/submissions/new/"
LINES = "application/x-ndjson"
CHARSETS = (
    *("utf-8", "utf-16", "utf-7", "latin-1", "cp500", "ascii", "UTF8", "utf_8_sig", "idna", "punycode", "undefined"),
    *("zlib", "base64", "hex", "rot13", "bz2", "uu", "raw_unicode_escape", "unicode_escape", "unknown-8bit", "mbcs"),
    *("", " ", "x" * 500, "\x00", '"', "utf-8; charset=idna", "é", "../utf_8"),
)


def cases(rows: Rows) -> list[Case]:
    return [*_files(), *_names(), *_forms(), *_facts(), *_charsets(rows)]


def lines(rows: Rows) -> list[Case]:
    """Of a bulk upload."""
    good = json.dumps(document()).encode()
    bad = [text.encode() for text in JSON_TEXTS]
    bodies: list[tuple[str, Body]] = [
        *((f"a line {line[:20]!r}", b"\n".join((good, line, good))) for line in bad),
        ("nothing", b""),
        ("blank lines", b"\r\n \n\n"),
        ("no end", good),
        ("ends of Windows", good + b"\r\n" + good + b"\r\n"),
        ("ends of old Macs", good + b"\r" + good),
        ("a separator of Unicode", good + "\u2028".encode() + good),
        ("a byte order mark", b"\xef\xbb\xbf" + good),
        ("UTF-16", good.decode().encode("utf-16")),
        ("one list", b"[" + good + b"," + good + b"]"),
        ("a value over two lines", json.dumps(document(), indent=1).encode()),
        ("a line of 2 MB", lambda: good + b"\n" + b"x" * 2_000_000 + b"\n" + good),
        ("a hundred bad lines", b"{}\n" * 100),
        ("twenty equal lines", (good + b"\n") * 20),
        ("noise", bytes(range(256)) * 20),
        ("NUL bytes", b"\x00" * 5_000),
        ("unclosed lists", b"[" * 100_000),
    ]
    types = (LINES, "application/ndjson", "application/jsonl", JSON, "text/plain", "", f"{LINES}; charset=utf-16")
    sent = [Case(name, f"{SUBMISSIONS}bulk/", "POST", body, LINES) for name, body in bodies]
    sent += [Case(f"as {kind}", f"{SUBMISSIONS}bulk/", "POST", good, kind) for kind in types]
    return [*sent, Case("of nobody", f"{SUBMISSIONS}bulk/", "POST", good, LINES, who="")]


def _import(name: str, parts: list[Part], query: str = "?dry_run=true") -> Case:
    return Case(name, IMPORT + query, "POST", multipart(parts), MULTIPART)


def facts_part(content: bytes | None = None) -> Part:
    return Part("metadata", json.dumps(metadata()).encode() if content is None else content)


def _log(content: bytes = LOG, filename: str = "run.log", kind: str = "text/plain") -> Part:
    return Part("log", content, filename, kind)


def _files() -> Iterator[Case]:
    for name, make in [*odd_files(), *mutated_logs()]:
        for query in ("", "?dry_run=true"):
            yield Case(f"{name}{query}", IMPORT + query, "POST", partial(_with_file, make), MULTIPART)
        yield Case(f"{name} by the form", FORM, "POST", partial(_with_file, make), MULTIPART, who="user")


def _with_file(make: Callable[[], bytes]) -> bytes:
    return multipart([facts_part(), _log(make())])


def _names() -> Iterator[Case]:
    odd = (
        "",
        ".",
        "..",
        "../../etc/passwd",
        "a/b\\c",
        "con.log",
        "x" * 255,
        "x" * 5_000,
        "a\x00b",
        "a\nb",
        'a"b',
        "a;b",
    )
    for name in (*odd, *TEXTS[20:]):
        for path, who in ((IMPORT, "token"), (FORM, "user")):
            body = multipart([facts_part(), _log(filename=name)])
            yield Case(f"a file called {name[:20]!a}", path, "POST", body, MULTIPART, who=who)


def _forms() -> Iterator[Case]:
    good = multipart([facts_part(), _log()])
    bodies: dict[str, bytes] = {
        "nothing": b"",
        "no part": f"--{BOUNDARY}--\r\n".encode(),
        "cut off": good[: len(good) // 2],
        "cut off in a head": good[:60],
        "no end": good[: -len(BOUNDARY) - 6],
        "another boundary": good.replace(BOUNDARY.encode(), b"another"),
        "noise": bytes(range(256)) * 40,
        "noise before": b"noise\r\n" + good,
        "no names": good.replace(b"name=", b"nome="),
        "two facts": multipart([facts_part(), facts_part(), _log()]),
        "no facts": multipart([_log()]),
        "no log": multipart([facts_part()]),
        "the log as text": multipart([facts_part(), Part("log", LOG)]),
        "facts as a file": multipart([Part("metadata", json.dumps(metadata()).encode(), "m.json", JSON), _log()]),
        "an unknown field": multipart([facts_part(), _log(), Part("x\x00y", b"1"), Part("", b"2")]),
        "sixty logs": multipart([facts_part(), *[_log()] * 60]),
        "a hundred and fifty logs": multipart([facts_part(), *[_log(b"x")] * 150]),
        "a thousand fields": multipart([facts_part(), _log(), *[Part("trial", b"1")] * 1_000]),
        "a transfer encoding": multipart(
            [facts_part(), Part("log", b"!!!", "x.log", "", b"Content-Transfer-Encoding: base64\r\n")]
        ),
        "a type of 9,000 letters": multipart([facts_part(), _log(kind="x" * 9_000)]),
        "a head of 20,000 letters": multipart(
            [facts_part(), Part("log", LOG, "x.log", "", b"X: " + b"x" * 20_000 + b"\r\n")]
        ),
        "a head without a colon": multipart([facts_part(), Part("log", LOG, "x.log", "", b"nonsense\r\n")]),
        "a file name by RFC 5987": good.replace(b'filename="run.log"', b"filename*=idna''%ff%fe"),
        "a broken RFC 5987": good.replace(b'filename="run.log"', b"filename*=x'"),
    }
    for path, who in ((IMPORT, "token"), (FORM, "user")):
        yield from (Case(name, path, "POST", body, MULTIPART, who=who) for name, body in bodies.items())
        for kind in (
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "multipart/mixed; boundary=x",
            "",
            "x/y",
            JSON,
        ):
            yield Case(f"as {kind!r}", path, "POST", good, kind, who=who)
        yield Case("a long boundary", path, "POST", good, f"multipart/form-data; boundary={'x' * 300}", who=who)
        yield Case("a boundary that is no ASCII", path, "POST", good, "multipart/form-data; boundary=é", who=who)
    for text in TEXTS:
        value = text.encode("utf-8", "surrogatepass")
        yield _import(f"trial = {text[:20]!a}", [facts_part(), _log(GOOD), Part("trial", value)])
        yield _import(f"two trials, one of them {text[:20]!a}", [facts_part(), _log(), _log(), Part("trial", value)])
        yield _import(f"metadata = {text[:20]!a}", [facts_part(value), _log()])


def _facts() -> Iterator[Case]:
    """Each fact of the document beside a log that states many of them."""
    facts = {**whole_document(), "nodes": metadata()["nodes"]}
    del facts["trials"]
    for key in facts:
        for text in JSON_TEXTS[::3]:
            raw = json.dumps({**metadata(), key: "PLACE"}).replace('"PLACE"', text).encode()
            yield _import(f"{key} = {text[:20]}", [facts_part(raw), _log()])
    for text in JSON_TEXTS:
        yield _import(f"facts {text[:20]}", [facts_part(text.encode()), _log()], "")


def _charsets(rows: Rows) -> Iterator[Case]:
    amendment = json.dumps(whole_amendment(rows)).encode()
    multiform = multipart([facts_part(), _log()])
    for charset in CHARSETS:
        sent = f"; charset={charset}"
        yield Case(f"multipart{sent[:60]}", IMPORT, "POST", multiform, MULTIPART + sent)
        yield Case(f"form{sent[:60]}", FORM, "POST", multiform, MULTIPART + sent, who="user")
        yield Case(f"JSON{sent[:60]}", SUBMISSIONS, "POST", json.dumps(document()).encode(), JSON + sent)
        yield Case(f"amendment{sent[:60]}", f"{SUBMISSIONS}{rows.submission}/", "PATCH", amendment, JSON + sent)
        yield Case(f"a page{sent[:60]}", "/submissions/?q=%ff", "GET", b"", f"text/plain{sent}")
        yield Case(
            f"a sign-in{sent[:60]}",
            "/account/login/",
            "POST",
            b"login=%ff&password=x",
            f"application/x-www-form-urlencoded{sent}",
            who="",
        )
