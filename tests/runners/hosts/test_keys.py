"""Keys of a run, and the user data that puts them on a machine."""

from datetime import UTC, datetime

import yaml

from runners.hosts.keys import make_keys, public_key, user_data


def test_every_run_has_keys_of_its_own():
    first, second = make_keys(), make_keys()

    assert len({first.private, first.host_private, second.private, second.host_private}) == 4
    assert public_key(first.private).startswith("ssh-ed25519 AAAA")
    assert "PRIVATE" not in repr(first)


def test_user_data_brings_our_host_key_and_admits_our_key_only():
    keys = make_keys()
    authorized = public_key(keys.private)

    text = user_data(keys.host_private, authorized)

    assert text.startswith("#cloud-config\n")
    files = {file["path"]: file for file in yaml.safe_load(text)["write_files"]}
    assert files["/etc/benchsite/ssh_host_ed25519_key"] == {
        "path": "/etc/benchsite/ssh_host_ed25519_key",
        "content": keys.host_private.decode(),
        "permissions": "0600",
        "owner": "root:root",
    }
    assert files["/etc/benchsite/authorized_keys"]["content"] == authorized + "\n"
    sshd = files["/etc/ssh/sshd_config.d/00-benchsite.conf"]["content"].splitlines()
    assert "HostKey /etc/benchsite/ssh_host_ed25519_key" in sshd
    assert "PasswordAuthentication no" in sshd
    assert keys.private.decode().splitlines()[4] not in text


def test_a_machine_shuts_itself_down_when_it_expires():
    keys = make_keys()

    text = user_data(keys.host_private, public_key(keys.private), expires_at=datetime(2027, 1, 1, tzinfo=UTC))

    assert yaml.safe_load(text)["runcmd"][-1] == [
        "sh",
        "-c",
        'shutdown -P "+$(( (1798761600 - $(date +%s)) / 60 ))" || true',
    ]


def test_user_data_fits_where_clouds_limit_it_to_16_kib():
    keys = make_keys()

    assert len(user_data(keys.host_private, public_key(keys.private))) < 4096
