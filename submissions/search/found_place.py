"""A link that a search leads to, and the headings that such links have."""

from dataclasses import dataclass

# kind -> heading of its list
GROUPS = {
    "comparison": "Side by side",
    "answer": "Answers",
    "database": "Databases and workloads",
    "workload": "Databases and workloads",
    "instance type": "Machine types",
    "page": "Pages",
}


@dataclass(frozen=True, slots=True)
class FoundPlace:
    kind: str  # a key of GROUPS
    label: str
    address: str
    note: str = ""

    @property
    def group(self) -> str:
        return GROUPS[self.kind]
