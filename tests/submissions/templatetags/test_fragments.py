"""Parts of pages that are rendered once for equal values."""

from benchsite.http.pagination import SortLink
from submissions.templatetags.fragments import fragment

HEAD = "components/sortable_head.html"


def test_equal_values_are_rendered_once_and_others_anew():
    first = fragment(HEAD, name="Value", unit="M ops/$", link=SortLink("/submissions/?ordering=x", ""))

    assert fragment(HEAD, name="Value", unit="M ops/$", link=SortLink("/submissions/?ordering=x", "")) is first
    assert "↓" in fragment(HEAD, name="Value", unit="M ops/$", link=SortLink("/submissions/?ordering=x", "descending"))
    assert "per hour, when measured" in fragment(HEAD, name="Cost", unit="per hour", link="", more="when measured")


def test_values_are_escaped():
    assert "<b>" not in fragment("components/number.html", label="<b>", name="n", value="<b>")


def test_values_that_are_equal_but_of_other_types_are_not_mixed():
    assert "True" not in fragment(HEAD, name=1, unit="ms", link="")
    assert "True" in fragment(HEAD, name=True, unit="ms", link="")
