"""The published grid of the virtual network: percent differences only, as relative throughputs."""

import pytest

from submissions.models import Submission

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


def test_a_cell_of_the_virtual_network_claims_no_ten_trials_and_no_machine(published):
    assert set(
        cells().values_list("trials_count", "node_count", "instance_type", "throughput_ops_s", "hourly_usd")
    ) == {(1, 4, "not stated", None, None)}
    assert all("the mean of 10 trials" in row.notes for row in cells())


def test_native_and_virtual_cells_of_one_size_have_one_workload_and_another_base(published):
    cell = {"replication_factor": 3, "network_encryption": "node", "document__workload__value_bytes": 192}
    native, virtual = cells().filter(**cell)

    assert native.workload == virtual.workload
    assert native.relative_base == virtual.relative_base
    assert virtual.relative_base == "100 = the native network with node-only encryption, RF 3, 192 B columns"
