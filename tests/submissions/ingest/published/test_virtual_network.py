"""The published grid of the virtual network: percent differences only, as relative throughputs."""

import pytest

from submissions.models import Submission
from tests.pages import text

# percent difference of the virtual network against native, for columns of 32, 64, 128, 192 and 256 bytes
VIRTUAL_NETWORK = {
    (1, "none"): (-8.2, 0.8, -2.3, -2.3, -6.7),
    (1, "node_and_client"): (63.8, 55.4, 60.0, 53.9, 61.7),
    (1, "node"): (-0.7, -5.0, 1.9, 5.4, 4.7),
    (3, "none"): (-4.5, -4.7, -5.8, -4.5, -1.5),
    (3, "node_and_client"): (31.5, 29.6, 31.4, 27.3, 29.9),
    (3, "node"): (3.8, 3.9, 6.1, 8.3, 4.0),
}
STATED_MEANS = {
    (1, "none"): -3.7,
    (1, "node_and_client"): 59,
    (1, "node"): 1.3,
    (3, "none"): -4.2,
    (3, "node_and_client"): 30,
    (3, "node"): 5.2,
}


def cells():
    return Submission.objects.filter(source__contains="Cassandra performance on a virtual network").order_by("id")


def test_the_virtual_network_is_a_grid_of_sixty_relative_cells(published):
    found = {
        (row.replication_factor, row.network_encryption, row.document["workload"]["value_bytes"], row.network_kind): (
            row.relative_throughput
        )
        for row in cells()
    }

    expected = {}
    for (factor, encryption), differences in VIRTUAL_NETWORK.items():
        for size, difference in zip((32, 64, 128, 192, 256), differences, strict=True):
            expected[factor, encryption, size, "native"] = 100.0
            expected[factor, encryption, size, "virtual"] = pytest.approx(100 + difference, abs=1e-9)
    assert found == expected


@pytest.mark.parametrize(("row", "stated"), STATED_MEANS.items())
def test_the_means_of_the_virtual_networks_rows_are_those_stated(published, row, stated):
    factor, encryption = row
    virtual = cells().filter(network_kind="virtual", replication_factor=factor, network_encryption=encryption)

    differences = [cell.relative_throughput - 100 for cell in virtual]

    decimals = 0 if isinstance(stated, int) else 1
    assert round(sum(differences) / 5, decimals) == stated


def test_a_cell_of_the_virtual_network_is_a_mean_of_ten_trials_on_unknown_machines(published):
    names = ("trials_count", "averaged_over", "node_count", "instance_type", "throughput_ops_s", "hourly_usd")

    assert set(cells().values_list(*names)) == {(1, 10, 4, "not stated", None, None)}
    assert set(cells().values_list("trials__averaged_over", "throughput_low_ops_s", "throughput_cv")) == {
        (10, None, None)
    }
    assert all("the mean of 10 trials" in row.notes for row in cells())


def test_each_cell_of_the_grid_says_n_is_10_averaged_by_the_source(client, published):
    address = {"vary": "network_kind", "trust": "historical"}
    page = client.get("/compare/grid/", address)
    cell = client.get("/api/v1/grid/", address).json()["cells"][0]

    assert page.content.decode().count("10 trials each, averaged by the source</span>") == 30
    assert (cell["n_baseline"], cell["n_variant"], cell["averaged_by_source"]) == (10, 10, True)
    # ten trials of one launch each: what they say about another launch is the usual noise of clouds
    assert cell["low_percent"] < cell["percent"] < cell["high_percent"]
    assert cell["noise_from"] == "clouds"
    assert cells().exclude(throughput_low_ops_s=None).count() == 0


def test_wherever_n_of_a_mean_is_shown_it_is_the_sources(client, published):
    native, virtual = cells().filter(
        replication_factor=3, network_encryption="none", document__workload__value_bytes=32
    )

    for address in (
        native.get_absolute_url(),
        f"/compare/?s={native.pk}&s={virtual.pk}",
    ):
        page = text(client.get(address))
        assert "10" in page
        assert "averaged by the source" in page
        assert "Single trial" not in page
        assert "1 trial<" not in client.get(address).content.decode()
    row = client.get(f"/api/v1/submissions/{native.pk}/").json()
    assert (row["trials_count"], row["averaged_over"], row["trials"][0]["averaged_over"]) == (1, 10, 10)


def test_native_and_virtual_cells_of_one_size_have_one_workload_and_another_base(published):
    cell = {"replication_factor": 3, "network_encryption": "node", "document__workload__value_bytes": 192}
    native, virtual = cells().filter(**cell)

    assert native.workload == virtual.workload
    assert native.relative_base == virtual.relative_base
    assert virtual.relative_base == "100 = the native network with node-only encryption, RF 3, 192 B columns"
