"""How many replicas a result waits for."""

import pytest

from submissions.questions.databases.consistency import Waits, consistency_of, durability_of

URL = "mongodb://10.0.0.1:27017/ycsb"


@pytest.mark.parametrize(
    ("level", "command", "replicas", "words", "waits"),
    [
        ("ONE", None, 3, "ONE", Waits.ONE),
        ("LOCAL_ONE", None, 3, "LOCAL_ONE", Waits.ONE),
        ("QUORUM", None, 3, "QUORUM", Waits.MAJORITY),
        ("LOCAL_QUORUM", None, 3, "LOCAL_QUORUM", Waits.MAJORITY),
        ("ALL", None, 3, "ALL", Waits.ALL),
        ("ANY", None, 3, "ANY", None),
        (None, f"{URL}?w=1&j=true", 3, "w:1", Waits.ONE),
        (None, f"{URL}?w=majority", 3, "w:majority", Waits.MAJORITY),
        (None, f"{URL}?w=3", 3, "w:3", Waits.ALL),
        (None, f"{URL}?w=2", 3, "w:2", None),
        (None, f"{URL}?w=2", None, "w:2", None),
        (None, f"-p mongodb.url={URL} -p mongodb.writeConcern=majority", 3, "w:majority", Waits.MAJORITY),
        (None, f"{URL}?ssl=true -threads 64", 3, "", None),
        (None, None, None, "", None),
    ],
)
def test_levels_and_write_concerns_of_one_class_wait_for_as_many_replicas(level, command, replicas, words, waits):
    consistency = consistency_of(level, command, replicas)
    assert (consistency.words, consistency.waits) == (words, waits)


def test_durability_is_what_command_and_settings_state():
    assert (
        durability_of({"cassandra": {"commitlog_sync": "batch"}}, f"{URL}?w=1&j=true") == "j=true, commitlog_sync=batch"
    )
    assert durability_of(None, None) == ""
