"""Service Quotas of an account: how many vCPUs of each kind it may run in a region."""

import json
from collections.abc import Mapping

NAMES = {
    "L-1216C47A": "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
    "L-34B43A08": "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests",
}
USUAL = 4_000.0


def answer(values: Mapping[str, float], body: bytes) -> tuple[int, bytes]:
    """GetServiceQuota, as JSON: (status, body)."""
    code = json.loads(body)["QuotaCode"]
    if code not in NAMES:
        return 400, json.dumps({"__type": "NoSuchResourceException", "Message": "The quota does not exist."}).encode()
    quota = {"ServiceCode": "ec2", "QuotaCode": code, "QuotaName": NAMES[code], "Value": values.get(code, USUAL)}
    return 200, json.dumps({"Quota": quota}).encode()
