"""benchsite verify: a bundle is what a site has signed, or the file that is not is named."""

import base64
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner

from tests.cli.zips import STATEMENT, entries, zipped
from tests.files import DATA, stress_log

CLI = Path(__file__).parents[2] / "cli"
WHERE = ("--aws", "3x m5.xlarge us-east-1", "--service", "cassandra")


def statement_of(files):
    return json.loads(base64.b64decode(json.loads(files[STATEMENT])["payload"]))


def signed_by(private, statement):
    envelope = Envelope(json.dumps(statement).encode(), "application/vnd.in-toto+json", {})
    envelope.sign(CryptoSigner(private))
    return json.dumps(envelope.to_dict()).encode()


def test_an_unchanged_bundle_is_verified_and_it_says_what_is_not_proven(site_bundle, verify, settings):
    code, printed = verify(site_bundle)

    assert code == 0, printed
    count = len(entries(site_bundle)) - 1
    assert f"{count} files unchanged" in printed
    assert re.search(r"Signed with the key [0-9a-f]{64} of keys.pem", printed)
    assert "Not proven: that the benchmark was run as the files say" in printed
    assert f"of {settings.SITE_URL} (" in printed


def test_a_changed_byte_in_any_file_is_found_and_the_file_named(site_bundle, verify):
    files = entries(site_bundle)
    kinds = {path.partition("/")[0] for path in files}
    assert {"logs", "artifacts", "run", "document.json", "results.json", "README.md", "prices.json"} <= kinds

    for path, content in files.items():
        if path == STATEMENT or not content:
            continue
        middle = len(content) // 2
        changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        code, printed = verify(zipped({**files, path: changed}))
        assert code == 1, path
        assert f"  {path}: sha256 differs: signed" in printed
        assert printed.count("sha256 differs") == 1

    raw = bytearray(site_bundle)
    raw[raw.index(b'{"cpu": 12}') + 8] ^= 1  # in the zip itself, whose own checksum finds it first
    code, printed = verify(bytes(raw))
    assert (code, "artifacts/samples.json: is damaged" in printed) == (1, True)


def test_files_that_are_missing_added_longer_or_cut_are_named(site_bundle, verify):
    files = entries(site_bundle)
    [log] = [path for path in files if path.startswith("logs/")]
    without = {path: content for path, content in files.items() if path != log}

    assert f"{log}: is missing" in verify(zipped(without))[1]
    assert "logs/more.log: is not in the statement: it was added" in verify(zipped({**files, "logs/more.log": b""}))[1]
    assert f"{log}: has more than the" in verify(zipped({**files, log: files[log] + b"x"}))[1]
    assert "1 bytes are missing" in verify(zipped({**files, log: files[log][:-1]}))[1]
    for changed in (without, {**files, "logs/more.log": b""}):
        assert verify(zipped(changed))[0] == 1


def test_a_statement_of_others_is_refused(site_bundle, verify, tmp_path):
    files = entries(site_bundle)
    [log] = [path for path in files if path.startswith("logs/")]
    statement, envelope = statement_of(files), json.loads(files[STATEMENT])
    [signature] = envelope["signatures"]
    other = Ed25519PrivateKey.generate()

    def attempt(content):
        code, printed = verify(zipped({**files, STATEMENT: content}))
        assert code == 1, printed
        return printed

    assert "which is none of the keys of keys.pem" in attempt(signed_by(other, statement))
    # under the id of the site's key
    forged = json.loads(signed_by(other, statement))
    forged["signatures"][0]["keyid"] = signature["keyid"]
    assert "was changed after it was signed" in attempt(json.dumps(forged).encode())
    statement["predicate"]["results"]["throughput_ops_s"] = 1
    payload = base64.b64encode(json.dumps(statement).encode()).decode()
    assert "was changed after it was signed" in attempt(json.dumps({**envelope, "payload": payload}).encode())
    assert "is not signed" in attempt(json.dumps({**envelope, "signatures": []}).encode())
    for broken in (b"", b"[]", b"{}", b"\xff", b'{"payload": 1}', b"[" * 100_000):
        assert "is no signed envelope" in attempt(broken)
    assert "holds no in-toto statement" in attempt(json.dumps({**envelope, "payloadType": "x"}).encode())
    receipt = (tmp_path / "receipt.json").read_bytes()
    assert "it is not about a bundle" in attempt(receipt)
    # whoever trusts the other key gets what it signed
    pem = other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "keys.pem").write_bytes(pem)
    assert "which is none of the keys" in verify(site_bundle)[1]
    assert log in files


def test_a_zip_that_would_do_harm_is_refused_unread(site_bundle, verify):
    files = entries(site_bundle)
    [log] = [path for path in files if path.startswith("logs/")]

    for name in ("../evil", "/etc/passwd", "a//b", "C:/x", "a\\..\\b", "x\x1b[2J"):
        code, printed = verify(zipped({**files, name: b""}))
        assert (code, "\x1b" in printed) == (2, False), name
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = zipped([*files.items(), (log, b"another")])
    assert "two files with the name" in verify(twice)[1]
    assert "too large" in verify(zipped({STATEMENT: bytes(65 * 1024 * 1024)}))[1]
    assert verify(site_bundle[:-100])[0] == 2
    assert verify(zipped({"a.log": b"x"}))[0] == 1


def test_whose_signature_counts_must_be_named(site_bundle, verify, settings):
    code, printed = verify(site_bundle, trusted=())

    assert code == 2
    assert f"add --site {settings.SITE_URL}" in printed


def test_a_receipt_is_verified_by_itself(site_bundle, verify, tmp_path):
    content = (tmp_path / "receipt.json").read_bytes()
    answer = json.loads(content)
    statement = json.loads(base64.b64decode(answer["payload"]))
    statement["predicate"]["receipt"]["total_usd"] = "0.01"
    changed = {**answer, "payload": base64.b64encode(json.dumps(statement).encode()).decode()}

    code, printed = verify(content)
    assert (code, "0 machines, $1.23; 0 machines left running" in printed) == (0, True), printed
    code, printed = verify(json.dumps(changed).encode())
    assert (code, "was changed after it was signed" in printed) == (1, True)


def test_with_the_command_alone_a_machine_without_the_site_verifies_it(site_bundle, tmp_path):
    (tmp_path / "bundle.zip").write_bytes(site_bundle)
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in _closure(tomllib.loads((CLI / "pyproject.toml").read_text())["project"]["dependencies"]):
        distribution = importlib.metadata.distribution(name)
        for top in {Path(str(file)).parts[0] for file in distribution.files if ".." not in Path(str(file)).parts}:
            target = packages / top
            if not target.exists():
                target.symlink_to(distribution.locate_file(top))
    (packages / "benchsite_cli").symlink_to(CLI / "src" / "benchsite_cli")
    code = (
        "import sys\ntry:\n    import django\nexcept ImportError:\n    pass\nelse:\n    sys.exit('Django is here')\n"
        "from benchsite_cli.app import main\nmain()"
    )

    done = subprocess.run(
        [sys.executable, "-S", "-c", code, "verify", "bundle.zip", "--key", "keys.pem", "--json"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(packages), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["verified"], answer["differences"]) == (True, [])


def _closure(requirements):
    """The distributions that these need on this machine, without extras."""
    names, waiting = set(), list(requirements)
    while waiting:
        text = waiting.pop()
        if "extra ==" in text:
            continue
        name = re.match(r"[\w.-]+", text)[0].lower()
        try:
            needed = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # of another platform or Python
        if name not in names:
            names.add(name)
            waiting += needed
    return names


def test_with_a_site_its_keys_are_fetched_and_its_parsers_read_the_logs_again(benchsite, tmp_path, client):
    from submissions.bundles.keys import revoke
    from submissions.models import Submission, Trial

    logs = []
    for number, change in enumerate((b"194.6", b"195.6")):
        logs.append(tmp_path / f"trial-{number}.log")
        logs[-1].write_bytes(stress_log("cs50-10-3node").read_bytes().replace(b"194.6", change))
    assert benchsite("upload", *logs, *WHERE, "--trials", "together").code == 0
    row = Submission.objects.get()
    bundle = tmp_path / "bundle.zip"

    def download():
        bundle.write_bytes(client.get(f"/api/v1/submissions/{row.pk}/bundle/").getvalue())

    download()
    url = os.environ["BENCHSITE_URL"]
    ended = benchsite("verify", bundle, "--site", url, "--parse")
    assert ended.code == 0, ended.out + ended.err
    assert re.search(r"the same figures: \d\d compared", ended.out)
    # a log with the results of two operations: the bundle of each has all of it
    log = DATA / "redis-benchmark" / "rb70-01-set-get.log"
    assert benchsite("upload", log, *WHERE[:2], "--service", "redis").code == 0
    others = Submission.objects.exclude(pk=row.pk)
    assert others.count() == 2
    for pk in others.values_list("pk", flat=True):
        bundle.write_bytes(client.get(f"/api/v1/submissions/{pk}/bundle/").getvalue())
        assert benchsite("verify", bundle, "--site", url, "--parse").code == 0
    assert others.count() == 2
    # a site that has signed other figures than its logs give
    Trial.objects.filter(submission=row, index=1).update(latency_p99_ms=1.5)
    download()
    ended = benchsite("verify", bundle, "--site", url, "--parse")
    assert ended.code == 1
    assert "trial 2: latency_p99_ms: signed 1.5, read 195.6" in ended.out
    assert benchsite("verify", bundle, "--site", url).code == 0
    [key] = client.get("/api/v1/keys/").json()["keys"]
    revoke(key["key_id"])
    ended = benchsite("verify", bundle, "--site", url)
    assert (ended.code, "has revoked the key" in ended.out) == (1, True)
