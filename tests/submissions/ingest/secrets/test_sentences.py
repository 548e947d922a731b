"""What an uploader reads about masked secrets."""

from submissions.ingest.secrets.sentences import masked_in_file
from submissions.ingest.secrets.stream import Spot


def test_secrets_of_one_line_are_counted_and_many_lines_are_cut_short():
    spots = [Spot(1, "password"), Spot(3, "key"), Spot(3, "key"), *(Spot(line, "token") for line in range(4, 12))]

    assert masked_in_file("a.log", spots[:3]) == "a.log: 3 secrets masked: line 1 (password) and line 3 (2 x key)"
    assert masked_in_file("a.log", spots).endswith("line 8 (token), line 9 (token) and 2 more")
