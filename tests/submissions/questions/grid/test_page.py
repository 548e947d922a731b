"""The grid page: the article's 30 cells, only like against like, what else differs is said, state in the address."""

import re
from datetime import UTC, datetime
from itertools import product

import pytest

from submissions.choices import Flag, Trust
from submissions.ingest.published import load_published
from submissions.questions.grid.query import MOST_ROWS
from tests.factories import SubmissionFactory
from tests.pages import faults, text
from tests.stored_rows import stored
from tests.submissions.questions.grid.results import JDKS, URL, answer, percents, submission, workload

pytestmark = pytest.mark.django_db

# published-results.md, article E: percent of the cells, and the row's mean as the article states it
ARTICLE = {
    (1, "none"): ((-8.2, 0.8, -2.3, -2.3, -6.7), -3.7),
    (1, "node_and_client"): ((63.8, 55.4, 60.0, 53.9, 61.7), 59),
    (1, "node"): ((-0.7, -5.0, 1.9, 5.4, 4.7), 1.3),
    (3, "none"): ((-4.5, -4.7, -5.8, -4.5, -1.5), -4.2),
    (3, "node_and_client"): ((31.5, 29.6, 31.4, 27.3, 29.9), 30),
    (3, "node"): ((3.8, 3.9, 6.1, 8.3, 4.0), 5.2),
}


@pytest.fixture
def published():
    stored("published", load_published)


def test_without_parameters_it_is_the_article_with_all_30_cells(client, published):
    body = answer(client)

    assert percents(body) == {
        (*row, size): pytest.approx(percent)
        for row, (cells, _) in ARTICLE.items()
        for size, percent in zip((32, 64, 128, 192, 256), cells, strict=True)
    }
    assert (body["baseline"], body["variant"]) == ("native", "virtual")


def test_each_row_mean_is_within_a_tenth_of_what_the_article_states(client, published):
    body = answer(client)

    means = {tuple(mean[name] for name in body["rows"]): mean["percent"] for mean in body["row_means"]}
    assert means == {row: pytest.approx(stated, abs=0.1) for row, (_, stated) in ARTICLE.items()}
    assert {mean["n_cells"] for mean in body["row_means"]} == {5}


def test_the_page_reads_without_colours_and_states_its_limits(client, published):
    response = client.get(URL)
    content = text(response)

    assert faults(response) == []
    assert (
        "Network: virtual vs. native. Throughput differences range from −8.2 % to +63.8 % over 30 cells; "
        "row means range from −4.2 % (RF 3, encryption: none) to +59.0 % (RF 1, encryption: node and client)."
    ) in content
    first = response.context["table"][0]
    assert (first["heading"], first["mean"]["percent"]) == ("RF 1, encryption: none", "−3.7 %")
    assert [cell["percent"] for cell in first["cells"]] == ["−8.2 %", "+0.8 %", "−2.3 %", "−2.3 %", "−6.7 %"]
    assert all(cell["percent"] in content for row in response.context["table"] for cell in row["cells"])
    assert "Each figure is a mean that the source took over its trials" in content
    assert "The figures are relative: each cell uses the baseline of its own source" in content
    assert "All 60 results come from articles" in content
    assert "historical: nothing here has a raw log" in content  # the trust level that it uses, in its selector
    (chart,) = response.context["charts"]
    assert [trace["text"][0] for trace in chart.figure["data"]] == ["−8.2", "+0.8", "−2.3", "−2.3", "−6.7"]
    assert "All 60 results come from articles, without a raw log." in chart.caveats


def test_relative_figures_of_different_bases_never_meet(client):
    submission(100.0, "oracle", relative="100 = the old cluster")
    submission(200.0, "openjdk", relative="100 = another cluster")

    assert "No two results in the same cell of this grid differ in JDK." in text(client.get(URL, JDKS))


def test_a_relative_figure_never_meets_an_absolute_one(client):
    submission(100.0, "oracle", relative="100 = the old cluster")
    submission(90_000.0, "openjdk")

    assert "result" not in client.get(URL, JDKS).context


@pytest.mark.parametrize(
    "facts", [{"key_count": 10}, {"node_count": 6}, {"cache_node_count": 4}, {"operations": {"read": 1.0}}]
)
def test_submissions_that_differ_in_a_required_fact_are_not_compared(client, facts):
    submission(100.0, "oracle")
    submission(110.0, "openjdk", **facts)

    assert "result" not in client.get(URL, JDKS).context


def test_rows_and_columns_may_differ_from_cell_to_cell_but_not_inside_one(client):
    submission(100.0, "oracle", replication_factor=1)
    submission(110.0, "openjdk", replication_factor=1)
    submission(50.0, "oracle", replication_factor=3, instance_type="m3.large")
    submission(40.0, "openjdk", replication_factor=3, instance_type="m3.large")
    submission(70.0, "openjdk", replication_factor=3, instance_type="m3.2xlarge")

    body = answer(client, **JDKS, baseline="oracle 8", variant="openjdk 8")

    assert percents(body) == {("m3.2xlarge", 1): pytest.approx(10.0), ("m3.large", 3): pytest.approx(-20.0)}


def test_the_baseline_and_the_variant_can_be_swapped(client):
    submission(100.0, "oracle")
    submission(125.0, "openjdk")

    there = answer(client, **JDKS, baseline="oracle 8", variant="openjdk 8")
    back = answer(client, **JDKS, baseline="openjdk 8", variant="oracle 8")

    assert list(percents(there).values()) == [pytest.approx(25.0)]
    assert list(percents(back).values()) == [pytest.approx(-20.0)]


def test_trials_give_an_interval_and_a_verdict(client):
    submission(100.0, "oracle", trials=(98.0, 100.0, 102.0))
    submission(150.0, "openjdk", trials=(148.0, 150.0, 152.0))

    (cell,) = answer(client, **JDKS, baseline="oracle 8", variant="openjdk 8")["cells"]
    response = client.get(URL, {**JDKS, "baseline": "oracle 8", "variant": "openjdk 8"}).content.decode()

    assert cell["percent"] == pytest.approx(50.0)
    assert 20 < cell["low_percent"] < 50 < cell["high_percent"] < 85
    assert (cell["verdict"], cell["counted"], cell["n_baseline"], cell["n_variant"]) == ("better", "trials", 3, 3)
    assert "faster</span>" in response


def test_several_submissions_of_a_side_are_their_mean_and_counted(client):
    first, second = submission(100.0, "oracle"), submission(120.0, "oracle")
    third, fourth = submission(55.0, "openjdk"), submission(55.0, "openjdk")

    (cell,) = answer(client, **JDKS, baseline="oracle 8", variant="openjdk 8")["cells"]

    assert cell["percent"] == pytest.approx(-50.0)
    assert (cell["counted"], cell["n_baseline"], cell["n_variant"]) == ("submissions", 2, 2)
    assert cell["baseline_submissions"] == [first.pk, second.pk]
    assert cell["variant_submissions"] == [third.pk, fourth.pk]


def test_what_else_differs_is_stated(client):
    submission(100.0, "oracle", region="us-east-1", service_version="2.1.8", disk_kind=None)
    submission(90.0, "openjdk", region="eu-west-1", service_version="2.2.0", disk_kind="ssd")

    (cell,) = answer(client, **JDKS)["cells"]
    content = text(client.get(URL, JDKS))

    assert cell["differs"] == ["region", "database version"]
    assert "disk type" in cell["not_known"]
    assert (
        "The two sides of a cell also differ in region (1 of 1 cell) and database version (1 of 1 cell)."
    ) in content
    assert "† The two sides also differ in something else" in content


def test_settings_that_differ_are_stated_too(client):
    one, other = submission(100.0, "oracle"), submission(90.0, "openjdk")
    for made, writes in ((one, 64), (other, 128)):
        made.document["settings"] = {"cassandra.yaml": {"concurrent_writes": writes}}
        made.save()

    (cell,) = answer(client, **JDKS)["cells"]

    assert cell["differs"] == ["settings"]


def test_the_most_alike_are_set_against_each_other_and_the_others_counted(client):
    submission(100.0, "oracle", region="us-east-1")
    submission(500.0, "oracle", region="eu-west-1")
    submission(110.0, "openjdk", region="us-east-1")

    response = client.get(URL, {**JDKS, "baseline": "oracle 8", "variant": "openjdk 8"})

    assert [cell.percent for cell in response.context["result"].cells] == [pytest.approx(10.0)]
    assert (
        "Excluded results: 1 less similar to the other side of the cell. Another row parameter would show more of them."
        in text(response)
    )


def test_doubtful_retracted_and_unknown_ones_are_not_counted(client):
    submission(100.0, "oracle")
    submission(110.0, "openjdk")
    submission(900.0, "openjdk", flags=[Flag.RATE_MISMATCH])
    submission(900.0, "openjdk", retracted_at="2026-01-01T00:00:00Z")
    submission(900.0, None)

    response = client.get(URL, {**JDKS, "baseline": "oracle 8", "variant": "openjdk 8"})

    (cell,) = response.context["result"].cells
    assert (cell.percent, cell.n) == (pytest.approx(10.0), (1, 1))
    assert (
        "Excluded results: 1 with a data-quality flag and 1 without a stated value for a fact of this grid."
    ) in text(response)


def test_a_cell_without_a_pair_is_empty_not_zero(client):
    for replication_factor in (1, 3):
        submission(100.0, "oracle", replication_factor=replication_factor)
        submission(110.0, "openjdk", replication_factor=replication_factor)
    submission(100.0, "oracle", replication_factor=1, instance_type="m3.large")
    submission(110.0, "openjdk", replication_factor=1, instance_type="m3.large")

    response = client.get(URL, {**JDKS, "baseline": "oracle 8", "variant": "openjdk 8"})

    large = response.context["table"][1]
    assert (large["heading"], [cell and cell["percent"] for cell in large["cells"]]) == ("m3.large", ["+10.0 %", None])
    assert (large["mean"]["percent"], large["mean"]["mean"].n) == ("+10.0 %", 1)
    assert "1 cell" in text(response)
    assert [trace["text"] for trace in response.context["charts"][0].figure["data"]] == [
        ["+10.0", "+10.0"],
        ["+10.0", "—"],
    ]


def test_it_opens_on_the_newest_workload_with_raw_logs_of_two_systems(client, clear_cache):
    for network in ("native", "virtual"):
        for level in ("ONE", "QUORUM"):
            of_article = workload(consistency_level=level, value_bytes=32)
            facts = {"network_kind": network, "network_encryption": "none", "trust": Trust.HISTORICAL}
            SubmissionFactory(workload=of_article, measured_at=datetime(2011, 9, 1, tzinfo=UTC), **facts)
    for year, machines in ((2025, ("m5.xlarge", "m6i.xlarge", "m7i.xlarge")), (2026, ("m5.xlarge", "m6i.xlarge"))):
        of_year = workload(key_count=year)
        for nodes, machine in product((3, 6), machines):
            facts = {"instance_type": machine, "node_count": nodes, "network_kind": None}
            SubmissionFactory(workload=of_year, measured_at=datetime(year, 5, nodes, tzinfo=UTC), **facts)

    body = answer(client)

    assert (body["vary"], body["shelf"], body["workload"]) == ("node_count", "log_verified", of_year.fingerprint)
    offered = client.get(URL).context["question"]["families"]
    assert [family.most_cells for family in offered][:2] == [2, 3]


def test_the_default_is_the_combination_that_fills_the_most_cells(client):
    for size in (32, 64):
        for provider in ("aws", "gce"):
            SubmissionFactory(provider=provider, workload=workload(value_bytes=size), network_kind=None)
    for level in ("ONE", "QUORUM"):
        for provider in ("aws", "gce", "azure"):
            SubmissionFactory(provider=provider, workload=workload(consistency_level=level), network_kind=None)

    body = answer(client)

    assert (body["vary"], body["baseline"], body["rows"], body["columns"]) == (
        "provider", "aws", ["operations"], "consistency_level",
    )  # fmt: skip
    assert len(body["cells"]) == 2


def test_the_address_keeps_the_state_and_leads_back(client):
    submission(100.0, "oracle")
    submission(110.0, "openjdk")

    first = client.get(URL, {**JDKS, "baseline": "oracle 8", "variant": "openjdk 8"})
    again = client.get(URL + first.context["charts"][0].query)

    assert again.context["answer"].state == first.context["answer"].state
    assert again.context["answer"].finding == first.context["answer"].finding
    assert first.context["answer"].state == {
        **JDKS,
        "baseline": "oracle 8",
        "variant": "openjdk 8",
        "workload": workload().fingerprint,
    }


def test_a_value_that_nobody_has_is_named_and_replaced(client):
    submission(100.0, "oracle")
    submission(110.0, "openjdk")

    response = client.get(URL, {**JDKS, "baseline": "native"})

    assert "No result of these workloads has the JDK “native”, so another one is shown." in text(response)
    assert len(response.context["result"].cells) == 1


def test_two_values_that_never_meet_are_reported(client):
    submission(100.0, "oracle")
    submission(110.0, "openjdk")
    submission(120.0, "zulu", instance_type="m3.large")

    response = client.get(URL, {**JDKS, "baseline": "oracle 8", "variant": "zulu 8"})

    assert response.status_code == 200
    assert "JDK: zulu 8 vs. oracle 8. No cell of this grid has results with both." in text(response)
    assert faults(response) == []


@pytest.mark.parametrize("query", [{}, {"vary": "disk_kind"}])
def test_nothing_here_says_what_to_do(client, query):
    response = client.get(URL, query)

    assert response.status_code == 200
    assert "upload a benchmark log" in text(response)
    assert faults(response) == []


def test_every_combination_of_the_shipped_results_is_a_page(client, published):
    seen = []
    for vary, rows, columns in product(
        ("network_kind", "jdk", "instance_type", "provider", "node_count", "threads"),
        ("", "replication_factor", "provider"),
        ("", "value_bytes", "jdk"),
    ):
        response = client.get(URL, {"vary": vary, "rows": rows, "columns": columns})
        clash = vary in (rows, columns)
        seen.append(response.status_code == (400 if clash else 200) and not faults(response))
        assert not re.search(r"\bnan\b", text(response), re.IGNORECASE)

    assert seen == [True] * 54


def test_the_workload_chooses_its_family(client):
    for key_count in (10, 20):
        for jdk, rate in (("oracle", 100.0), ("openjdk", 100.0 + key_count)):
            submission(rate, jdk, key_count=key_count)

    bodies = [answer(client, **JDKS, workload=workload(key_count=k).fingerprint, baseline="oracle 8") for k in (10, 20)]

    assert [list(percents(body).values()) for body in bodies] == [[pytest.approx(10.0)], [pytest.approx(20.0)]]


def test_what_it_reads_and_shows_is_bounded(client, monkeypatch):
    monkeypatch.setattr("submissions.questions.grid.query.MOST_ROWS", 90)
    monkeypatch.setattr("submissions.questions.grid.sentences.MOST_ROWS", 90)
    for number in range(45):
        for jdk in ("oracle", "openjdk"):
            submission(100.0 + number, jdk, instance_type=f"m{number:02}")
    submission(100.0, "oracle")

    response = client.get(URL, {**JDKS, "baseline": "oracle 8", "variant": "openjdk 8"})

    assert MOST_ROWS == 1_000
    assert len(response.context["table"]) == 31
    assert "Only the newest 90 results are used." in text(response)
    assert "The CSV and JSON have 13 rows more. The means include them." in text(response)
