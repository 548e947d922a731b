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
