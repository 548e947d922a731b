"""A pack of the tests' own: documents without files, one of which can be refused, and a death in the middle."""

from benchsite.http.refusals import Refusal
from submissions.choices import Trust
from submissions.ingest.pipeline import prepare_document
from submissions.packs.pack import Entry
from tests.documents import document

LICENSE, ATTRIBUTION = "CC-BY-SA-4.0", "Tiny Measurements (tiny.example), CC BY-SA 4.0"


class Killed(Exception):
    """The process ended here."""


class TinyPack:
    name = "tiny"

    def __init__(self, size=5, version="1"):
        self.version = version
        self.rates = {f"machine {number}": 50_000.0 + number for number in range(size)}
        self.replaces = {}
        self.refused = set()
        self.killed_after = None

    def entries(self):
        return [Entry(key, LICENSE, ATTRIBUTION, self.replaces.get(key, ())) for key in self.rates]

    def prepared(self, keys):
        given = 0
        for entry in self.entries():
            if entry.key not in keys:
                continue
            if given == self.killed_after:
                raise Killed
            given += 1
            yield entry, self.prepared_of(entry.key)

    def prepared_of(self, key):
        if key in self.refused:
            return Refusal.at("#/nodes", "is empty")
        changes = {"title": key, "settings": {"machine": key}, "trials/0/throughput_ops_s": self.rates[key]}
        return prepare_document(document(changes), trust=Trust.LOG_VERIFIED)
