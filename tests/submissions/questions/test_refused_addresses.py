"""An address that is refused keeps what was typed: its parameters can be corrected where they are refused."""

import pytest
from justhtml import JustHTML

from tests.pages import HOSTILE, faults

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("address", "wrong"),
    [
        ("/submissions/", "ordering"),
        ("/value/", "by"),
        ("/history/", "like"),
        ("/recommend/sizes/", "target_ops_s"),
        ("/compare/grid/", "trust"),
        ("/compare/databases/", "trust"),
        ("/compare/fact/", "trust"),
        ("/coverage/", "trust"),
        ("/scaling/", "trust"),
        ("/workloads/", "page"),
        ("/recommend/", "target_ops_s"),
        ("/prices/", "at"),
        ("/runs/", "status"),
    ],
)
def test_the_parameters_stay_in_fields_and_the_wrong_one_is_marked(client, address, wrong):
    response = client.get(address, {wrong: HOSTILE, "provider": "aws"})

    assert response.status_code == 400
    forms = JustHTML(response.content.decode(), sanitize=False).query("main form")
    fields = [{field.attrs.get("name"): field for field in form.query("input, select")} for form in forms]
    [own] = [each for each in fields if wrong in each]
    if own[wrong].name == "input":
        assert own[wrong].attrs.get("value") == HOSTILE
    elif wrong != "status":
        assert own[wrong].attrs.get("aria-invalid") == "true"
    assert "provider" in own
    assert faults(response) == []


def test_what_was_right_is_sent_again_with_the_corrected_value(client):
    response = client.get("/value/", {"by": "nothing", "provider": ["aws", "gce"]})

    [form] = JustHTML(response.content.decode(), sanitize=False).query('form[aria-label="Parameters of the address"]')
    sent = [(field.attrs["name"], field.attrs["value"]) for field in form.query("input")]
    assert sent == [("by", "nothing"), ("provider", "aws"), ("provider", "gce")]
    assert form.attrs["action"] == "/value/"
    invalid = [field.attrs["name"] for field in form.query("input") if field.attrs.get("aria-invalid")]
    assert invalid == ["by"]
