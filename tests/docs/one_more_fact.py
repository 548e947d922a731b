"""What tests/docs/test_adding_a_fact.py runs in a copy of the site that has one more fact: prints where it finds it."""

import csv
import gzip
import io
import json
import os
import re
import sys
from contextlib import redirect_stdout

from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags

from submissions.aggregates.store import refresh
from submissions.dataset import write
from submissions.models import Submission, data_state
from submissions.records.list.counts import list_counts
from submissions.records.list.page import filter_of
from submissions.upload.form import FactsForm

found = {}
with redirect_stdout(io.StringIO()):
    call_command("makemigrations", "submissions", name="huge_pages", verbosity=0)
    call_command("migrate", verbosity=0)
    try:
        call_command("makemigrations", check=True, verbosity=0)
        found["further migrations"] = False
    except SystemExit:
        found["further migrations"] = True
with connection.cursor() as cursor:
    cursor.execute("SELECT name FROM django_migrations WHERE app = 'submissions' AND name LIKE %s", ["%huge_pages"])
    found["migrations"] = [name for (name,) in cursor.fetchall()]

client = Client(SERVER_NAME="localhost", headers={"authorization": f"Bearer {os.environ['TOKEN']}"})
reader = Client(SERVER_NAME="localhost")


def text_of(page):
    return " ".join(strip_tags(page.content.decode()).split())


def uploaded(**changes):
    document = json.loads(os.environ["DOCUMENT"]) | changes
    answer = client.post("/api/v1/submissions/", document, content_type="application/json")
    assert answer.status_code == 201, answer.content
    return answer.json()


one, other, unknown = (
    uploaded(title="without them", huge_pages="never"),
    uploaded(title="with them", huge_pages="always"),
    uploaded(title="who knows"),
)
ids = found["ids"] = [result["id"] for result in (one, other, unknown)]
found["api, one"] = [reader.get(f"/api/v1/submissions/{pk}/").json()["huge_pages"] for pk in ids]
found["configurations"] = Submission.objects.filter(pk__in=ids).values("configuration").distinct().count()
Submission.objects.filter(pk__in=ids).update(unranked_until=None)  # the account is new

rows = reader.get("/api/v1/submissions/", {"q": "them"}).json()["results"]
rows += reader.get("/api/v1/submissions/", {"q": "who knows"}).json()["results"]
found["api, list"] = {row["id"]: row["huge_pages"] for row in rows if row["id"] in ids}
filtered = reader.get("/api/v1/submissions/?huge_pages=always").json()["results"]
found["api, filtered"] = [row["id"] for row in filtered]
found["api, unknown value"] = reader.get("/api/v1/submissions/?huge_pages=sometimes").status_code
exported = b"".join(reader.get("/api/v1/submissions/?huge_pages=always&format=csv").streaming_content).decode()
found["csv"] = [row["huge_pages"] for row in csv.DictReader(io.StringIO(exported))] == ["always"]

page = text_of(reader.get(f"/submissions/{ids[1]}/"))
found["page of a result"] = (re.search(r"Huge pages \w+", page) or [""])[0]
found["page of one without it"] = "Huge pages" in text_of(reader.get(f"/submissions/{ids[2]}/"))

page = reader.get("/submissions/?huge_pages=always").content.decode()
found["list, filtered"] = [int(pk) for pk in re.findall(r'id="s(\d+)"', page)]
found["list, head"] = '<th scope="col" class="extra">Huge pages</th>' in page
found["list, cell"] = '<td class="extra">always</td>' in page
counts = {value.value: value.count for value in list_counts(filter_of(QueryDict(""))).of("huge_pages").values}
found["list, counts"] = {**counts, "unknown": counts.get("unknown", 0) > 0}

page = text_of(reader.get(f"/compare/?s={ids[0]}&s={ids[1]}"))
found["compare"] = (re.search(r"Huge pages \w+ \w+", page) or [""])[0]
differs = reader.get("/api/v1/compare/", {"a": ids[0], "b": ids[1]}).json()["differs"]
found["compare, api"] = next(fact for fact in differs if fact["field"] == "huge_pages")

form = FactsForm(QueryDict("huge_pages=always"))
[field] = [field for field in form.cluster_fields if field.name == "huge_pages"]
found["form"] = [value for value, _ in field.field.choices]
found["form, document"] = form.content() if form.is_valid() else form.errors

workload = Submission.objects.get(pk=ids[0]).workload
refresh([workload.pk])
grid = reader.get("/api/v1/grid/", {"vary": "huge_pages", "workload": workload.fingerprint, "trust": one["trust"]})
found["grid"] = sorted([grid.json()["baseline"], grid.json()["variant"]]) if grid.status_code == 200 else grid.json()
found["one fact"] = reader.get("/api/v1/compare/fact/", {"fact": "huge_pages"}).status_code

dump = write.write(timezone.now())
with default_storage.open(f"{dump.folder}/schema.json") as file:
    [table] = [table for table in json.load(file)["tables"] if table["name"] == "submissions"]
[found["dump, schema"]] = [column for column in table["columns"] if column["name"] == "huge_pages"]
with default_storage.open(f"{dump.folder}/submissions.csv.gz") as file:
    lines = csv.DictReader(io.StringIO(gzip.decompress(file.read()).decode()))
    found["dump"] = {line["id"]: line["huge_pages"] for line in lines if int(line["id"]) in ids}

schema = reader.get("/api/v1/schema/", headers={"accept": "application/json"}).json()
schemas = schema["components"]["schemas"]
listed = [parameter["name"] for parameter in schema["paths"]["/api/v1/submissions/"]["get"]["parameters"]]
of_grid = [p for p in schema["paths"]["/api/v1/grid/"]["get"]["parameters"] if p["name"] == "vary"]
found["openapi"] = [
    name
    for name, is_there in (
        ("filter", "huge_pages" in listed),
        ("row", "huge_pages" in schemas["SubmissionRow"]["properties"]),
        ("document", "huge_pages" in schemas["SubmissionDocument"]["properties"]),
        ("grid", "huge_pages" in json.dumps(of_grid)),
    )
    if is_there
]

before = data_state().data
Submission.objects.filter(pk=ids[2]).update(huge_pages="madvise")
found["a change is a new version"] = data_state().data != before

sys.stdout.write(json.dumps(found))
