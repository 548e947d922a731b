"""The curl line of each operation of the API."""

from submissions.api.reference.curl import curl_line
from submissions.api.reference.page import groups

OPERATIONS = {(each.method, each.path): each.curl for group in groups() for each in group.operations}
TOKEN = '-H "Authorization: Bearer $TOKEN"'


def test_reading_needs_an_address_alone():
    assert OPERATIONS["GET", "/api/v1/value/"] == 'curl -s "$SITE/api/v1/value/"'


def test_what_is_required_is_a_variable():
    assert OPERATIONS["GET", "/api/v1/compare/"] == 'curl -s "$SITE/api/v1/compare/?a=$A&b=$B"'
    assert OPERATIONS["GET", "/api/v1/submissions/{id}/trials/"] == 'curl -s "$SITE/api/v1/submissions/$ID/trials/"'


def test_what_needs_an_account_has_its_token_and_what_has_a_body_sends_a_file():
    logs = f'curl -s {TOKEN} "$SITE/api/v1/submissions/import/" -F metadata=@metadata.json -F log=@stress.log'
    assert OPERATIONS["POST", "/api/v1/submissions/import/"] == logs
    change = (
        f"curl -s -X PATCH {TOKEN} \"$SITE/api/v1/submissions/$ID/\" -H 'Content-Type: application/json' -d @body.json"
    )
    assert OPERATIONS["PATCH", "/api/v1/submissions/{id}/"] == change
    assert OPERATIONS["DELETE", "/api/v1/follows/{id}/"] == f'curl -s -X DELETE {TOKEN} "$SITE/api/v1/follows/$ID/"'


def test_a_request_without_a_body_says_its_method():
    assert curl_line("POST", "/x/", {"security": [{}]}) == 'curl -s -X POST "$SITE/x/"'
