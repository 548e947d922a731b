"""Markdown of docs/ as a page."""

from django.conf import settings

from submissions.formatting.markdown import Heading, MarkdownPage, read, render


def test_a_text_becomes_title_contents_and_safe_html():
    page = render("# Method\n\n## Cost & value\n\nA <b>word</b>.\n\n### Detail\n\n## Cost & value\n")

    assert page == MarkdownPage(
        title="Method",
        html=(
            '<h2 id="cost-value">Cost &amp; value</h2>\n'
            "<p>A &lt;b&gt;word&lt;/b&gt;.</p>\n"
            '<h3 id="detail">Detail</h3>\n'
            '<h2 id="cost-value-2">Cost &amp; value</h2>\n'
        ),
        contents=(
            Heading(2, "cost-value", "Cost & value"),
            Heading(3, "detail", "Detail"),
            Heading(2, "cost-value-2", "Cost & value"),
        ),
    )


def test_a_table_scrolls_in_its_own_region():
    html = render("| a |\n|---|\n| 1 |\n").html

    assert html.startswith('<div class="table-wrap" role="region" tabindex="0" aria-label="Table"><table>')
    assert html.endswith("</table>\n</div>")


def test_a_link_cannot_run_a_script():
    assert "<a" not in render("[x](javascript:alert(1))").html


def test_the_methodology_is_in_the_repository_and_has_contents():
    page = read(settings.BASE_DIR / "docs" / "methodology.md")

    assert page.title == "Methodology"
    assert "Throughput" in [heading.text for heading in page.contents]
