"""Which types may stand for each other."""

import pytest

from runners.providers.registry import traits_of


@pytest.mark.parametrize(
    ("provider", "one", "others", "strangers"),
    [
        (
            "aws",
            "m5.xlarge",
            ("m5a.xlarge", "m6i.xlarge", "m7a.xlarge"),
            ("t3.xlarge", "m7g.xlarge", "m7i-flex.xlarge", "c5.xlarge", "g4dn.xlarge"),
        ),
        ("aws", "c7gn.large", ("c8g.large", "c6g.large"), ("c7i.large",)),
        (
            "gce",
            "n2-standard-4",
            ("n2d-standard-4", "n4-standard-4"),
            ("e2-standard-4", "n2-highmem-4", "n4a-standard-4", "c3-standard-4"),
        ),
    ],
)
def test_only_types_of_a_family_and_a_processor_architecture_stand_for_each_other(provider, one, others, strangers):
    family = traits_of(provider).family

    assert {family(other) for other in others} == {family(one)}
    assert family(one) not in {family(stranger) for stranger in strangers}
