"""A gzip is unpacked as Python's own module unpacks it, or refused where that fails."""

import gzip
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.http.refusals import Refusal
from submissions.ingest.files.open import open_upload
from tests.submissions.ingest.files.packing import gzipped, sent

LOG = b"Op rate : 1,069 op/s\nEND\n"


@settings(deadline=None)
@given(st.sampled_from([gzipped(LOG * 900), gzipped(LOG) + gzipped(LOG * 900)]), st.data())
def test_a_damaged_gzip_is_refused_where_python_refuses_it(content, data):
    packed = bytearray(content)
    for _ in range(data.draw(st.integers(0, 2))):
        packed[data.draw(st.integers(4, len(packed) - 1))] = data.draw(
            st.integers(0, 255)
        )  # its start shows what it is
    changed = bytes(packed[: data.draw(st.integers(20, len(packed)))]) + data.draw(st.sampled_from([b"", b"\0", b"no"]))
    try:
        expected = gzip.decompress(changed)
    except (OSError, EOFError, zlib.error):
        with pytest.raises(Refusal) as refused:
            open_upload([sent(changed, "a.gz")])
        assert "a.gz cannot be unpacked: it is damaged or cut short" in str(refused.value.faults)
        return

    (member,) = open_upload([sent(changed, "a.gz")])
    assert list(member.open_lines()) == expected.decode().splitlines()
