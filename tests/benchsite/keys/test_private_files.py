"""Secret files of the site: whole, made once, and for its account only."""

import stat

from benchsite.keys import private_files
from benchsite.keys.secret_key import replace_secret_key, secret_key_file, secret_key_of


def test_the_first_process_decides(tmp_path):
    file = tmp_path / "keys" / "secret"

    private_files.write_once(file, "first")
    private_files.write_once(file, "second")

    assert file.read_text() == "first"
    assert [path.name for path in file.parent.iterdir()] == ["secret"]


def test_only_the_account_of_the_site_reads_it(tmp_path):
    private_files.replace(tmp_path / "secret", "new")

    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_a_site_keeps_its_secret_key_until_a_restore_replaces_it(tmp_path):
    key = secret_key_of(tmp_path)

    assert secret_key_of(tmp_path) == key == secret_key_file(tmp_path).read_text()
    replace_secret_key(tmp_path, "restored")
    assert secret_key_of(tmp_path) == "restored"
