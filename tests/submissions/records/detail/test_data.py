"""What the page of a result says of its data, and what lists and exports have of it."""

import pytest

from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from tests.documents import document
from tests.pages import text

pytestmark = pytest.mark.django_db

GROWING = {
    "workload/tool": "ycsb",
    "workload/command": "-t -p insertproportion=0.4",
    "workload/operations": {"read": 0.6, "insert": 0.4},
    "workload/key_count": 50_000_000,
    "workload/value_bytes": 200,
    "workload/columns": 10,
    "trials/0/operations": 2_500_000_000,
}


def stored(changes=None):
    return store(prepare_document(document(changes)), submitted_by=None).submission


def shown(client, changes=None):
    return text(client.get(stored(changes).get_absolute_url()))


def test_a_result_whose_data_fits_in_memory_says_so(client):
    said = shown(client)

    # 2,000,000 x 170 bytes; 340 MB x 3 by 90 GiB
    assert "Data to memory 0.0106 data fits in memory" in said
    assert "Data 324 MiB" in said


def test_data_that_grows_is_shown_at_both_ends(client):
    said = shown(client, GROWING)

    # 10^11 bytes, and 10^9 rows of 2,000 bytes more; x 3 by 90 GiB
    assert "93.1 GiB at the start, 1.91 TiB at the end, 1 TiB on average" in said.replace("1.0 TiB", "1 TiB")
    assert "on average, 3.1 at the start and 65.2 at the end" in said


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"workload/tool": "latte"}, "the load tool does not state how much data was loaded"),
        ({"workload/replication_factor": None}, "the replication factor is not stated"),
        ({"nodes/0/memory_gib": None}, "the memory of the nodes is not known"),
    ],
)
def test_where_it_is_unknown_the_page_says_why(client, changes, why):
    assert f"unknown: {why}" in shown(client, changes)


def test_lists_are_filtered_by_ranges_that_are_counted(client):
    fits, grows, unknown = stored(), stored(GROWING), stored({"workload/tool": "latte"})

    def listed(**query):
        return {row["id"] for row in client.get("/api/v1/submissions/", query).json()["results"]}

    assert listed(data_fit="below_1") == {fits.pk}
    assert listed(data_fit="above_3") == {grows.pk}
    assert listed(data_fit=["1_to_3", "unknown"]) == {unknown.pk}
    page = client.get("/submissions/")
    counted = {value.value: value.count for value in page.context["counts"].of("data_fit").values}
    assert counted == {"below_1": 1, "above_3": 1, "unknown": 1}
    assert "0.0106 fits in memory" in text(page)


def test_the_api_has_both_figures(client):
    row = client.get(f"/api/v1/submissions/{stored().pk}/").json()

    assert row["data_bytes"] == 340_000_000
    assert row["data_to_memory"] == pytest.approx(0.010555, rel=1e-4)
    assert row["data_fit"] == "below_1"
