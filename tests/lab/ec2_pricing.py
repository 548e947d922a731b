"""A short price list in the format of AWS's: the on-demand Linux prices of us-east-1 in 2025, for a few types."""

import json
from typing import Any

MACHINES_USD = {  # an hour
    "c5.xlarge": "0.1700000000",
    "c5.2xlarge": "0.3400000000",
    "i3.large": "0.1560000000",
    "m5.large": "0.0960000000",
    "m5.xlarge": "0.1920000000",
    "m5.2xlarge": "0.3840000000",
    "m5d.large": "0.1130000000",
    "t3.medium": "0.0416000000",
}
USAGE_USD = {  # product family, usage type, unit
    ("Storage", "EBS:VolumeUsage.gp3", "GB-Mo"): "0.0800000000",
    ("System Operation", "EBS:VolumeP-IOPS.gp3", "IOPS-Mo"): "0.0050000000",
    ("Provisioned Throughput", "EBS:VolumeP-Throughput.gp3", "GiBps-mo"): "40.9600000000",
}


def answer(action: str, body: bytes) -> bytes:
    """GetProducts with TERM_MATCH filters, and DescribeServices, as JSON; a single page."""
    given = json.loads(body)
    if action == "DescribeServices":
        return json.dumps({"Services": [{"ServiceCode": "AmazonEC2", "AttributeNames": []}]}).encode()
    wanted = {one["Field"].lower(): one["Value"] for one in given.get("Filters", [])}
    found = [one for one in _products() if given["ServiceCode"] == "AmazonEC2" and _passes(one, wanted)]
    return json.dumps({"FormatVersion": "aws_v1", "PriceList": [json.dumps(one) for one in found]}).encode()


def _passes(product: dict[str, Any], wanted: dict[str, str]) -> bool:
    facts = {**product["product"]["attributes"], "productFamily": product["product"]["productFamily"]}
    known = {name.lower(): value for name, value in facts.items()}
    return all(known.get(name) == value for name, value in wanted.items())


def _products() -> list[dict[str, Any]]:
    machines = [
        _product(
            "Compute Instance",
            "Hrs",
            usd,
            instanceType=kind,
            usagetype=f"BoxUsage:{kind}",
            operatingSystem="Linux",
            tenancy="Shared",
            preInstalledSw="NA",
            capacitystatus="Used",
            marketoption="OnDemand",
        )
        for kind, usd in MACHINES_USD.items()
    ]
    return machines + [_product(family, unit, usd, usagetype=usage) for (family, usage, unit), usd in USAGE_USD.items()]


def _product(family: str, unit: str, usd: str, **attributes: str) -> dict[str, Any]:
    where = {"regionCode": "us-east-1", "location": "US East (N. Virginia)", "locationType": "AWS Region"}
    dimension = {"unit": unit, "beginRange": "0", "endRange": "Inf", "pricePerUnit": {"USD": usd}}
    return {
        "product": {"productFamily": family, "attributes": {**where, "servicecode": "AmazonEC2", **attributes}},
        "serviceCode": "AmazonEC2",
        "terms": {"OnDemand": {"1": {"priceDimensions": {"1": dimension}, "termAttributes": {}}}},
    }
