"""The frame around every page: four sections, the pages of the current one, and the search."""

from types import SimpleNamespace

import pytest
from django.template import Context

from submissions.templatetags import navigation


def at(path):
    return navigation.site_navigation(Context({"request": SimpleNamespace(path=path)}))


@pytest.mark.parametrize(
    ("path", "section", "page", "state"),
    [
        ("/value/", "Find", "Value", "page"),
        ("/submissions/", "Results", "All results", "page"),
        ("/submissions/72/", "Results", "All results", "true"),
        ("/compare/grid/", "Results", "Grid", "page"),
        ("/runs/new/", "Run", "New run", "page"),
        ("/runs/7/", "Run", "Runs", "true"),
        ("/about/methodology/", "Learn", "Methodology", "page"),
    ],
)
def test_a_page_lies_in_one_section_and_below_one_of_its_pages(path, section, page, state):
    shown = at(path)

    assert [one.label for one in shown.sections] == ["Find", "Results", "Run", "Learn"]
    assert shown.current.label == section
    assert [(one.label, one.state) for one in shown.current.pages if one.state] == [(page, state)]


@pytest.mark.parametrize("path", ["/", "/account/", "/submissions/new/", "/terms/"])
def test_other_pages_lie_in_no_section(path):
    assert at(path).current is None


def test_an_error_page_without_a_request_has_the_sections_too():
    assert len(navigation.site_navigation(Context()).sections) == 4


def test_no_link_leads_to_a_page_that_does_not_exist(client, monkeypatch):
    from django.urls import resolve

    for section in at("/").sections:
        for page in section.pages:
            assert resolve(page.address)
    monkeypatch.setattr(navigation, "SEARCH", "/no-such-page/")
    assert at("/").search == ""


@pytest.mark.django_db
def test_the_menu_of_phones_has_every_page_and_the_upload_is_the_one_filled_button(client):
    content = client.get("/services/").content.decode()
    header = content.partition("<header")[2].partition("</header>")[0]
    menu = header.partition("<details")[2].partition("</details>")[0]

    for section in at("/").sections:
        for page in section.pages:
            assert f'href="{page.address}"' in menu
    assert header.count('class="filled"') == 1
    assert 'class="filled">Upload<' in header


def test_the_header_is_the_same_for_all_but_for_where_they_are_and_whether_they_are_signed_in():
    def header(path, is_authenticated=False):
        user = SimpleNamespace(is_authenticated=is_authenticated)
        return navigation.site_header(Context({"request": SimpleNamespace(path=path), "user": user}))

    assert header("/submissions/72/") is header("/submissions/73/")
    assert header("/submissions/") != header("/submissions/72/") != header("/value/")
    assert "Sign in" in header("/value/")
    assert "Sign in" not in header("/value/", is_authenticated=True)
    assert 'href="/submissions/new/" class="filled" aria-current="page"' in header("/submissions/new/")
    assert "Sign in" in navigation.site_header(Context())  # an error page has neither


def test_the_footer_marks_its_own_pages_and_names_the_source_code(settings):
    def footer(path):
        return navigation.site_footer(Context({"request": SimpleNamespace(path=path)}))

    assert 'aria-current="page">All data' in footer("/data/")
    assert "aria-current" not in footer("/value/")
    settings.SOURCE_CODE_URL = "https://example.org/code"
    assert 'href="https://example.org/code"' in footer("/value/")
