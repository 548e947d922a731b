"""What other code has made is not read: the digest changes with whatever a page is made of."""

import pytest

from benchsite.processes.code_version import code_version


@pytest.mark.parametrize("name", ["submissions/page.py", "templates/page.html", "static/css/site.css", "docs/api.md"])
def test_a_change_of_what_pages_are_made_of_is_another_version(tmp_path, settings, name):
    settings.BASE_DIR = tmp_path
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text("before")
    before = code_version.__wrapped__()

    path.write_text("after")

    assert code_version.__wrapped__() != before
