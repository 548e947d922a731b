"""What articles state about a fact without a figure that could be stored as a result."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "data" / "statements.json"


@dataclass(frozen=True, slots=True)
class Statement:
    facts: tuple[str, ...]  # keys
    source: str
    url: str
    text: str


def statements_about(fact: str) -> tuple[Statement, ...]:
    return tuple(statement for statement in _statements() if fact in statement.facts)


@lru_cache(1)
def _statements() -> tuple[Statement, ...]:
    entries = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(Statement(tuple(entry["facts"]), entry["source"], entry["url"], entry["text"]) for entry in entries)
