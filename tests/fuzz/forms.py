"""Every form of the pages, as the page itself offers it, with one field odd; and what other programs post."""

from collections.abc import Iterator
from urllib.parse import quote_from_bytes, urlencode

from justhtml import JustHTML

from tests.fuzz.cases import JSON, Case, sample
from tests.fuzz.queries import pages
from tests.fuzz.site import Rows, Site
from tests.fuzz.values import JSON_TEXTS, TEXTS

FORM = "application/x-www-form-urlencoded"
_VALUES_OF_A_FIELD = 10
_SAMPLE_OF_PAGES = 6
_MOST_FIELDS = 40  # of one form; the facts of an upload have more of the same kind
Fields = list[tuple[str, str]]


def cases(rows: Rows) -> list[Case]:
    site = Site(rows)
    made = list(_reports())
    seen: set[tuple[str, tuple[str, ...]]] = set()
    more = ["/admin/auth/user/add/", f"/admin/submissions/submission/{rows.submission}/change/"]
    for address in sample([*pages(rows), *more], _SAMPLE_OF_PAGES):
        for who in ("", "user", "moderator"):
            for action, fields in offered(site, address, who):
                key = (action, tuple(name for name, _ in fields))
                if key not in seen:
                    seen.add(key)
                    made += _filled(action, fields, who, len(seen))
    return made


def offered(site: Site, address: str, who: str) -> Iterator[tuple[str, Fields]]:
    """The address and the fields, as they are filled, of each form of a page that writes."""
    answer = site.answer(Case("the page", address, who=who))
    if answer.status != 200 or not answer.content_type.startswith("text/html"):
        return
    for form in JustHTML(answer.body.decode(), sanitize=False).query("form"):
        attributes = form.attrs or {}
        if (attributes.get("method") or "get").lower() == "post":
            yield attributes.get("action") or address, list(_fields(form))


def _fields(form: JustHTML) -> Iterator[tuple[str, str]]:
    for element in form.query("input, select, textarea, button"):
        attributes = element.attrs or {}
        name = attributes.get("name")
        if not name or name == "csrfmiddlewaretoken":
            continue
        if element.name == "select":
            options = [option.attrs or {} for option in element.query("option")]
            chosen = next((option for option in options if "selected" in option), options[0] if options else {})
            yield name, chosen.get("value") or ""
        else:
            yield name, attributes.get("value") or ""


def _filled(action: str, fields: Fields, who: str, number: int) -> Iterator[Case]:
    def case(name: str, content: Fields) -> Case:
        body = urlencode([(key.encode(), value.encode("utf-8", "surrogatepass")) for key, value in content])
        return Case(name, action, "POST", body.encode(), FORM, who=who)

    yield case("as it is", fields)
    yield case("nothing", [])
    yield case("everything empty", [(name, "") for name, _ in fields])
    yield case("everything twice", fields * 2)
    yield case("a field of nobody", [*fields, ("x\x00y", "1"), ("is_staff", "on"), ("id", "1")])
    yield Case("JSON", action, "POST", b"{}", JSON, who=who)
    yield Case("broken encodings", action, "POST", b"&".join(_broken(fields)), FORM, who=who)
    for at, (name, _) in enumerate(fields[:_MOST_FIELDS]):
        for step in range(_VALUES_OF_A_FIELD):
            text = TEXTS[((number + at) * _VALUES_OF_A_FIELD + step) % len(TEXTS)]
            content = [*fields[:at], (name, text), *fields[at + 1 :]]
            yield case(f"{name} = {text[:20]!a}", content)


def _broken(fields: Fields) -> Iterator[bytes]:
    for name, _ in fields:
        yield f"{quote_from_bytes(name.encode())}=%ff%00%zz%".encode()


def _reports() -> Iterator[Case]:
    """What browsers post by themselves about the policy of a page."""
    kind = "application/csp-report"
    for text in JSON_TEXTS:
        yield Case(text[:20], "/csp-report/", "POST", text.encode(), kind, who="")
        body = f'{{"csp-report": {{"document-uri": {text}, "violated-directive": {text}}}}}'
        yield Case(f"a report of {text[:20]}", "/csp-report/", "POST", body.encode(), kind, who="")
        yield Case(
            f"reports of {text[:20]}", "/csp-report/", "POST", f"[{text}]".encode(), "application/reports+json", who=""
        )
