"""What a dollar buys on ARM and on x86: machine types, each once."""

from decimal import Decimal

from submissions.questions.value.architectures import ArchitectureValue, BestOfTypes, architecture_values


def of(*rows):
    types = BestOfTypes()
    for provider, architecture, name, value in rows:
        types.add(provider, architecture, name, Decimal(value))
    return architecture_values(types)


def test_a_type_counts_once_by_its_best_result_and_the_median_is_of_types():
    found = of(
        ("aws", "arm64", "m7g.large", 9), ("aws", "arm64", "m7g.large", 1), ("aws", "arm64", "m7g.large", 2),
        ("aws", "arm64", "m7g.xlarge", 7), ("aws", "arm64", "c7g.large", 5),
        ("aws", "x86_64", "m5.large", 8),
        ("gce", "x86_64", "n2-standard-2", 6), ("gce", None, "strange", 100),
    )  # fmt: skip

    assert found == (
        ArchitectureValue("aws", "arm64", 3, "m7g.large", Decimal(9), Decimal(7)),
        ArchitectureValue("aws", "x86_64", 1, "m5.large", Decimal(8), Decimal(8)),
        ArchitectureValue("gce", "x86_64", 1, "n2-standard-2", Decimal(6), Decimal(6)),
    )


def test_there_is_nothing_to_compare_where_all_are_of_one_architecture():
    assert of(("aws", "arm64", "m7g.large", 9), ("gce", "arm64", "t2a-standard-1", 9)) == ()
