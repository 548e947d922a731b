"""Rows for odd requests to meet, and the site itself: every middleware, PostgreSQL, nothing kept of a request."""

import json
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import got_request_exception
from django.db import transaction
from django.test import Client
from django.test.client import ClientHandler, FakePayload
from django.utils import timezone

from benchsite.web.environ import environ_of
from runners.models import CloudAccess, Run
from submissions.dataset import write
from submissions.models import Artifact, Submission, Upload
from submissions.sharing.links import shorten
from tests.documents import document, metadata
from tests.factories import PriceFactory, SubmissionFactory, UserFactory, make_token
from tests.files import stress_log
from tests.fuzz.cases import Case
from tests.runners.fake_runs import PLAN, kept_log

_LOG = "cs50-10-3node"


@dataclass(frozen=True, slots=True)
class Rows:
    """Numbers and keys of what is stored; `submission` came from a log."""

    submission: int
    other: int
    artifact: int
    owner: int
    workload: str
    upload: str
    staged: str
    run: int
    log: int
    cloud: int
    link: str
    token: str
    sessions: dict[str, str]  # user -> value of the cookie


def stored_rows() -> Rows:
    """All of them belong to one account."""
    owner = UserFactory(username="owner")
    client = Client()
    client.force_login(owner)
    submission = _imported(client)
    other = client.post("/api/v1/submissions/", json.dumps(document()), "application/json").json()["id"]
    for nodes, provider in ((3, "aws"), (6, "aws"), (3, "gce")):
        SubmissionFactory(node_count=nodes, provider=provider, instance_type=f"{provider}.large", trials_count=3)
    PriceFactory()
    write.write_nightly(timezone.now())
    moderator = Client()
    moderator.force_login(UserFactory(username="moderator", is_staff=True, is_superuser=True))
    run = Run.objects.create(owner=owner, provider="local", plan=PLAN, max_usd=1, tag="fuzz")
    return Rows(
        submission=submission.pk,
        other=other,
        artifact=Artifact.objects.filter(submission=submission).earliest("pk").pk,
        owner=owner.pk,
        workload=SubmissionFactory().workload.fingerprint,
        upload=str(_done(submission).pk),
        staged=client.post("/submissions/new/", {"log": _log()}).url.rstrip("/").rpartition("/")[2],
        run=run.pk,
        log=kept_log(run).pk,
        cloud=CloudAccess.objects.create(owner=owner, provider="aws", principal="x", external_id="x").pk,
        link=shorten(f"/submissions/{submission.pk}/").key,
        token=make_token(owner, ("submit", "run")),
        sessions={"user": client.cookies["sessionid"].value, "moderator": moderator.cookies["sessionid"].value},
    )


def _log() -> SimpleUploadedFile:
    return SimpleUploadedFile("run.log", stress_log(_LOG).read_bytes())


def _imported(client: Client) -> Submission:
    answer = client.post("/api/v1/submissions/import/", {"metadata": json.dumps(metadata()), "log": _log()})
    assert answer.status_code == 201, answer.content
    return Submission.objects.get(pk=answer.json()["submissions"][0]["id"])


def _done(submission: Submission) -> Upload:
    upload = Upload.objects.create(owner=submission.submitted_by, status=Upload.Status.DONE, metadata={})
    upload.submissions.add(submission)
    return upload


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    content_type: str
    body: bytes
    error: str  # of a server error

    @property
    def is_problem(self) -> bool:
        return self.content_type == "application/problem+json"


class Site:
    def __init__(self, rows: Rows):
        self.rows = rows
        self._handler = ClientHandler(enforce_csrf_checks=False)
        self._addresses = count(1)

    def answer(self, case: Case) -> Answer:
        """What the site answers; what it stored meanwhile is gone again."""
        with _errors() as errors, transaction.atomic():
            try:
                response = self._handler(self._environ(case))
                body = response.getvalue()  # the handler closes the answer once it is read
                return Answer(response.status_code, response.get("Content-Type", ""), body, "\n".join(errors))
            except Exception as error:
                return Answer(500, "", b"", f"{type(error).__name__}: {error}")
            finally:
                transaction.set_rollback(True)

    def _environ(self, case: Case) -> dict[str, Any]:
        """As the web server makes it of the request."""
        path, _, query = case.path.partition("?")
        body = case.content()
        number = next(self._addresses)  # of a sender of its own: what one sender may do is counted
        headers = {"Content-Type": case.content_type, "Content-Length": str(len(body))}
        headers |= self._identity(case.who) | dict(case.headers)
        scope = {
            "method": case.method,
            "raw_path": _on_the_wire(path),
            "query_string": _on_the_wire(query),
            "http_version": "1.1",
            "headers": [(name.lower().encode(), _on_the_wire(value)) for name, value in headers.items()],
            "client": (f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}", 999),
            "server": ("testserver", 80),
        }
        return environ_of(scope) | {"wsgi.input": FakePayload(body)}

    def _identity(self, who: str) -> dict[str, str]:
        if who == "token":
            return {"Authorization": f"Bearer {self.rows.token}"}
        return {"Cookie": f"sessionid={self.rows.sessions[who]}"} if who else {}


def _on_the_wire(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@contextmanager
def _errors() -> Iterator[list[str]]:
    """What views and middleware did not catch."""
    found: list[str] = []

    def note(sender: Any, **kwargs: Any) -> None:
        found.append(traceback.format_exc(limit=-6))

    got_request_exception.connect(note)
    try:
        yield found
    finally:
        got_request_exception.disconnect(note)
