"""Secrets in documents, metadata and plans."""

import pytest

from benchsite.http.refusals import Refusal
from submissions.ingest.secrets.facts import mask_facts, masked_places
from submissions.ingest.secrets.mask import MASK
from tests.submissions.ingest.secrets.credentials import LEFT_IN, WORD


def test_values_are_masked_by_their_names_and_by_what_they_contain():
    content = {
        "notes": f"run with password={WORD}",
        "source_url": f"https://me:{WORD}@example.org/log",
        "settings": {
            "keystore_password": WORD,
            "nested": [{"api_key": WORD}, {"threads": 4}],
            "pin_password": 123456,
            "args": ["--password", WORD, "--threads", "4"],
            f"password={WORD}": 1,
        },
    }

    masked = mask_facts(content)

    assert WORD not in str(masked)
    assert masked["notes"] == f"run with password={MASK}"
    assert masked["source_url"] == f"https://me:{MASK}@example.org/log"
    assert masked["settings"]["keystore_password"] == MASK
    assert masked["settings"]["pin_password"] == MASK
    assert masked["settings"]["nested"] == [{"api_key": MASK}, {"threads": 4}]
    assert masked["settings"]["args"] == ["--password", MASK, "--threads", "4"]
    assert mask_facts(masked) == masked


def test_the_places_of_masks_are_pointers():
    content = {"notes": MASK, "settings": {"a/b": ["x", f"password={MASK}"]}}

    assert list(masked_places(content)) == ["#/notes", "#/settings/a~1b/1"]


@pytest.mark.parametrize("text", [text for text, *_ in LEFT_IN.values()], ids=list(LEFT_IN))
def test_each_text_of_a_document_is_masked(text):
    assert MASK in str(mask_facts({"notes": text}))


def test_other_facts_stay_as_they_are():
    content = {
        "title": "Passing the token ring",
        "settings": {
            "num_tokens": 16,
            "password_encryption": "scram-sha-256",
            "authenticator": "PasswordAuthenticator",
        },
        "workload": {"operations": {"read": 0.5, "write": 0.5}, "key_count": 10**9, "key_distribution": "zipfian"},
        "none": None,
        "yes": True,
    }

    assert mask_facts(content) == content


def test_what_is_nested_too_deeply_is_refused():
    content = {"password": f"a:{WORD}"}
    for _ in range(2_000):
        content = {"a": content}

    with pytest.raises(Refusal, match="nested"):
        mask_facts(content)
