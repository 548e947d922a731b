"""A comparison of many results: on a phone each figure is a card with a line for each result."""

import pytest

from tests.e2e.steps import LOOKS, NARROW, faults


def address(service, number):
    """Of this many results of one workload, as far as there are that many."""
    from submissions.models import Submission

    rows = Submission.objects.filter(service=service, throughput_ops_s__isnull=False)
    return "/compare/?" + "&".join(f"s={row.pk}" for row in rows.order_by("workload_id", "pk")[:number])


@pytest.mark.parametrize("number", [3, 4, 6])
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_many_results_side_by_side_are_accessible_and_show_their_numbers(
    open_browser, violations, published, width, scheme, number
):
    with open_browser(width=width, scheme=scheme) as (page, complaints):
        found = faults(page, violations, address("cassandra", number))

    assert found == []
    assert complaints == []


def test_each_line_of_a_card_names_its_result_without_javascript(open_browser, published):
    with open_browser(width=NARROW, javascript=False) as (page, _):
        page.goto(address("cassandra", 4))
        cells = page.locator("table.sides").first.locator("tbody tr").first.locator("td")
        boxes = [cell.bounding_box() for cell in cells.all()]
        labels = [cell.evaluate("one => getComputedStyle(one, '::before').content") for cell in cells.all()]
        numbers = [link.inner_text() for link in page.locator("table.sides thead a").all()]

    assert len(boxes) == len(numbers) == 4
    assert all(box["x"] + box["width"] <= NARROW for box in boxes)
    assert [number in label for number, label in zip(numbers, labels, strict=True)] == [True] * 4
    assert len({round(box["y"]) for box in boxes}) == 4


def test_long_values_of_two_configurations_are_three_lines_that_open_without_javascript(open_browser):
    from tests.factories import SubmissionFactory

    rows = [SubmissionFactory(), SubmissionFactory()]
    for row in rows:
        row.document["settings"] = {"comment": f"{row.pk} and many other words " * 30}
        row.save()
    with open_browser(width=NARROW, javascript=False) as (page, _):
        page.goto(f"/compare/?s={rows[0].pk}&s={rows[1].pk}")
        region = page.locator("[aria-labelledby=differs]")
        value = region.locator(".folded").first
        folded = value.bounding_box()["height"]
        value.locator("summary").click()
        assert folded < 120 < value.bounding_box()["height"]
        assert region.evaluate("one => one.scrollWidth - one.clientWidth") <= 1
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW


def test_labels_in_the_cells_of_a_grid_have_the_colour_of_their_cell(open_browser, published):
    with open_browser(width=NARROW) as (page, _):
        page.goto("/compare/grid/?trust=historical")
        cells = page.locator("td[class*=difference-]")
        colours = cells.evaluate_all(
            "all => all.map((one) => [getComputedStyle(one).color, getComputedStyle(one, '::before').color])"
        )

    assert colours
    assert all(cell == label for cell, label in colours)
