"""Invented documents: accepted by every door, the same for a seed, and obeying the laws of real ones."""

from collections import Counter
from statistics import median

import pytest

from submissions.choices import Flag
from submissions.ingest.pipeline import prepare_document
from submissions.pricing.book.quotes import PriceBook
from tools.synthetic.documents import document

COUNT = 1_500


@pytest.fixture(scope="module")
def documents():
    return [document(index, seed=7) for index in range(COUNT)]


@pytest.fixture(scope="module")
def prepared(documents):
    """What the pipeline makes of them; it refuses a document with any fault."""
    return [prepare_document(content, book=PriceBook()) for content in documents]


def test_a_document_depends_on_its_number_and_its_seed_only():
    assert document(12, seed=3) == document(12, seed=3)
    assert document(12, seed=3) != document(12, seed=4)
    assert document(12, seed=3) != document(13, seed=3)


def test_a_document_is_this_one():
    made = document(0, seed=1)

    assert (made["title"], made["provider"], made["measured_at"], made["trials"][0]["throughput_ops_s"]) == (
        "Synthetic: cassandra 5.0.2 on 48 x n2-highmem-16",
        "gce",
        "2024-09-08T08:22:00Z",
        479412.2,
    )


def test_every_document_says_that_it_is_invented(documents):
    for index, content in enumerate(documents):
        assert content["title"].startswith("Synthetic: ")
        assert content["source"] == "make_dataset"
        assert content["notes"] == (
            f"Made by make_dataset, number {index} of seed 7: invented figures, nothing was measured."
        )


def test_no_two_documents_are_of_the_same_content(prepared):
    assert len({one.content_hash for one in prepared}) == COUNT


def test_there_are_many_of_everything(documents):
    clouds = Counter(content["provider"] for content in documents)
    databases = Counter(content["service"]["name"] for content in documents)
    jdks = {tuple(content["jdk"].values()) for content in documents if "jdk" in content}
    machines = {content["nodes"][0]["instance_type"] for content in documents}
    disks = {content["nodes"][0]["disks"][0]["kind"] for content in documents}

    assert set(clouds) == {"aws", "gce", "azure", "hetzner", "on-premises"}
    assert set(databases) == {"cassandra", "scylladb", "postgresql", "mongodb"}
    assert min(clouds.values()) > COUNT // 50
    assert len(jdks) == 7
    assert len(machines) == 29
    assert disks == {"local-ssd", "gp3", "pd-ssd", "pd-balanced", "premium-ssd", "nvme"}
    assert {len(content["trials"]) for content in documents} == {1, 2, 3, 4, 5}


def test_a_database_runs_on_a_jdk_only_when_it_is_a_java_program(documents):
    assert {content["service"]["name"] for content in documents if "jdk" in content} == {"cassandra"}


def test_a_workload_has_many_submissions(prepared):
    sizes = Counter(one.fingerprint for one in prepared)

    assert median(sizes[one.fingerprint] for one in prepared) >= 5


def test_flags_are_rare_and_of_every_kind_that_a_document_can_have(prepared):
    flags = Counter(flag for one in prepared for flag in one.flags)
    throttled = flags.pop(Flag.THROTTLED)

    assert set(flags) == {Flag.RATE_MISMATCH, Flag.LITTLES_LAW, Flag.ERRORS, Flag.SHORT, Flag.MIXED_CPUS}
    assert all(0.002 * COUNT < count < 0.05 * COUNT for count in flags.values())
    # most kept up with the fixed rate that they were offered
    offered = sum(one.document.workload.fixed_rate_ops_s is not None for one in prepared)
    assert 0.9 * offered < throttled <= offered


def test_most_have_a_price_and_no_price_is_zero(prepared):
    hourly = [one.priced.cost.hourly_usd for one in prepared]

    assert 0.85 < sum(usd is not None for usd in hourly) / COUNT < 0.95
    assert all(usd > 0 for usd in hourly if usd is not None)


def test_latencies_rise_with_the_percentile(prepared):
    for one in prepared:
        for trial in one.trials:
            latency = trial.latency
            known = [latency.p50, latency.p95, latency.p99, latency.p999, latency.max]
            values = [value for value in known if value is not None]
            assert values == sorted(values)


def test_trials_of_one_submission_agree_within_their_noise(prepared):
    spreads = [one.throughput.cv for one in prepared if one.throughput.cv is not None]

    assert 0.01 < median(spreads) < 0.06
    assert max(spreads) < 0.25


def test_more_of_the_same_nodes_do_more_operations(documents):
    """The median over many: a single pair may differ by chance."""
    small, large = (
        [
            content["trials"][0]["throughput_ops_s"]
            for content in documents
            if content["service"]["name"] == "cassandra" and content["nodes"][0]["count"] in counts
        ]
        for counts in ((3,), (12, 24))
    )

    assert median(large) > 1.8 * median(small)
