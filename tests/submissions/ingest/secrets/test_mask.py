"""Secrets in a text: all of them masked, and nothing else."""

from time import process_time

import pytest

from submissions.ingest.secrets import mask
from submissions.ingest.secrets.detectors import DETECTORS
from submissions.ingest.secrets.mask import MASK, mask_text, may_hold_secrets, secrets_in
from tests.submissions.ingest.secrets.credentials import HARMLESS, LEFT_IN, WORD


@pytest.mark.parametrize("name", LEFT_IN)
def test_nothing_remains_of_a_secret_and_the_rest_of_the_line_does(name):
    text, *secrets = LEFT_IN[name]

    masked = mask_text(text)

    assert MASK in masked
    for secret in secrets:
        assert secret not in masked
        assert secret[-5:] not in masked
    assert masked.count("\n") == text.count("\n")
    assert mask_text(masked) == masked


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text):
    assert mask_text(text) == text


def test_what_stands_around_a_secret_can_still_be_read():
    text, _ = LEFT_IN["cassandra-stress"]
    assert mask_text(text) == text.replace(WORD, MASK)
    text, _ = LEFT_IN["ycsb"]
    assert mask_text(text) == text.replace(WORD, MASK)
    text, _ = LEFT_IN["java map"]
    assert mask_text(text) == f"{{db.user=bench, db.passwd={MASK}, threads=4}}"


def test_a_text_knows_where_its_secrets_are():
    text = f"user=a password={WORD}\nthreads=4\npgbench postgresql://b:{WORD}@db/x"

    found = secrets_in(text)

    assert [(text[secret.start : secret.end], secret.kind) for secret in found] == [
        (WORD, "password"),
        (WORD, "password in a URL"),
    ]


def test_each_kind_of_secret_is_looked_for_by_a_word_that_it_contains():
    missed = {name for name, (text, *_) in LEFT_IN.items() if not may_hold_secrets(text.encode())}

    assert missed == set()
    assert all(literal == literal.lower() for detector in DETECTORS for literal in detector.literals)


def test_a_secret_anywhere_in_a_very_long_line_is_masked():
    padding = "x=1 " * 10_000
    text = f"{padding}password={WORD} {padding}password={WORD} {padding}"

    assert mask_text(text) == text.replace(WORD, MASK)


def test_windows_are_those_of_a_search_for_each_literal():
    """The automaton finds what `find` finds; the windows depend on nothing else."""
    text = "\n".join(text for text, *_ in LEFT_IN.values()).lower().encode("latin-1", "replace")

    found = {(mask.LITERALS[number], start) for number, start, _ in mask.literals_in(text)}

    assert found == {
        (literal, at) for literal in mask.LITERALS for at in range(len(text)) if text.startswith(literal, at)
    }


def test_a_line_of_nothing_but_commands_costs_no_more_than_a_line_for_each():
    """A command's option is looked for once, up to the next command, not 200 characters on for each name."""
    for name in ("curl", "mysql", "redis-cli"):
        one_line, lines = (min(_seconds_of(f"{name}{end}" * 20_000) for _ in range(3)) for end in (" ", " x\n"))

        assert one_line < lines * 1.2, name


def _seconds_of(text):
    began = process_time()
    assert secrets_in(text) == []
    return process_time() - began


def test_the_option_of_a_command_is_seen_behind_the_name_of_another():
    assert mask_text(f"mysqldump -h mysql host -p{WORD} x") == f"mysqldump -h mysql host -p{MASK} x"
    assert mask_text(f"sh -c curl curl -s -u bench:{WORD}") == f"sh -c curl curl -s -u bench:{MASK}"
