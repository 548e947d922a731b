"""A cassandra-stress command line (2.1 and later): the facts that stand in it, no defaults."""

import re
from dataclasses import dataclass

from submissions.choices import ConsistencyLevel, LatencyKind
from submissions.ingest.document.readings import Facts
from submissions.ingest.parsers.cassandra_stress import figures

_PROGRAM = "cassandra-stress"
_SCALES = {"": 1, "k": 1_000, "m": 1_000_000, "b": 1_000_000_000}
_UNIT_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_COUNT = re.compile(r"(?:^| )n=(\d{1,12})([kmb]?)(?= |$)", re.IGNORECASE)
_DURATION = re.compile(r"(?:^| )duration=(\d{1,12})([smh])(?= |$)", re.IGNORECASE)
_LEVEL = re.compile(r"(?:^| )cl=(\w{1,20})(?= |$)")
_RATIO = re.compile(r"(?:^| )(?:ratio|ops)\(([^)]{1,4000})\)")
_THREADS = re.compile(r"(?:^| )threads=(\d{1,9})(?= |$)")
_FIXED_RATE = re.compile(r"(?:^| )fixed=(\d{1,12})(?:/s)?(?= |$)")
_THROTTLE = re.compile(r"(?:^| )(?:throttle|limit)=(\d{1,12})(?:/s)?(?= |$)")
_SEQUENCE = re.compile(r"(?:^| )seq=(\d{1,15}[kmb]?)\.\.(\d{1,15}[kmb]?)(?= |$)", re.IGNORECASE)
_DISTRIBUTION = re.compile(r"(?:^| )dist=(?:~)?(\w{1,20})\((\d{1,15}[kmb]?)\.\.(\d{1,15}[kmb]?)", re.IGNORECASE)
_REPLICATION = re.compile(r"(?:^| )replication\(([^)]{1,1000})\)")
_FIXED = r"(?:^| ){}=fixed\((\d{{1,12}})\)"
_COLUMNS = re.compile(_FIXED.format("n"), re.IGNORECASE)
_SIZE = re.compile(_FIXED.format("size"), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Command:
    """A command line: its first words, and its options each with the text behind them."""

    text: str
    sections: dict[str, str]

    @property
    def facts(self) -> Facts:
        """What the command line asks for; what it leaves to the tool's defaults is None."""
        main, rate = self.sections[""], self.sections.get("rate", "")
        population = self._population()
        return Facts(
            command=f"{_PROGRAM} {self.text}",
            operations=_operations(main),
            consistency_level=_level(main),
            replication_factor=_replication_factor(self.sections.get("schema", "")),
            threads=_number(_THREADS, rate),
            fixed_rate_ops_s=_float(_FIXED_RATE, rate),
            throttle_ops_s=_float(_THROTTLE, rate),
            columns=_number(_COLUMNS, self.sections.get("col", "")),
            value_bytes=_number(_SIZE, self.sections.get("col", "")),
            key_count=population[1],
            key_distribution=population[0],
            requested_operations=_count(main),
            requested_duration_s=_duration_s(main),
            node_count=self._node_count(),
        )

    @property
    def latency_kind(self) -> LatencyKind:
        """With `fixed=` the tool counts from when a request was due, else from when it was sent."""
        if _FIXED_RATE.search(self.sections.get("rate", "")):
            return LatencyKind.RESPONSE_TIME
        return LatencyKind.SERVICE_TIME

    def _population(self) -> tuple[str | None, int | None]:
        text = self.sections.get("pop", "")
        sequence, distribution = _SEQUENCE.search(text), _DISTRIBUTION.search(text)
        if sequence:
            return "sequential", _scaled(sequence[2]) - _scaled(sequence[1]) + 1
        if distribution:
            name = distribution[1].lower()
            return name, _scaled(distribution[3]) - _scaled(distribution[2]) + 1
        return None, None

    def _node_count(self) -> int | None:
        words = self.sections.get("node", "").replace(",", " ").split()
        return len({word for word in words if "=" not in word and word != "whitelist"}) or None


def parse(text: str) -> Command:
    """Split a command line, with or without the program's name, at its `-options`."""
    plain = " ".join(text.split())
    _, found, rest = plain.partition(_PROGRAM + " ")
    plain = rest if found else plain
    parts = re.split(r"(?:^| )-(?=[a-z])", plain)
    sections = {"": parts[0]}
    for part in parts[1:]:
        option, _, arguments = part.partition(" ")
        sections.setdefault(option, arguments)
    return Command(plain, sections)


def _operations(main: str) -> dict[str, float] | None:
    kind, ratio = main.partition(" ")[0].lower(), _RATIO.search(main)
    if kind not in ("mixed", "user"):
        return {kind: 1.0} if kind else None
    pairs = (part.partition("=") for part in (ratio[1] if ratio else "").split(","))
    weights = {name.strip().lower(): figures.decimal(w) or 0.0 for name, equals, w in pairs if equals}
    whole = sum(weights.values())
    return {name: weight / whole for name, weight in weights.items()} if whole > 0 else None


def _level(main: str) -> str | None:
    match = _LEVEL.search(main)
    return match[1].upper() if match and match[1].upper() in list(ConsistencyLevel) else None


def _count(main: str) -> int | None:
    match = _COUNT.search(main)
    return int(match[1]) * _SCALES[match[2].lower()] if match else None


def _duration_s(main: str) -> float | None:
    match = _DURATION.search(main)
    return int(match[1]) * _UNIT_SECONDS[match[2].lower()] if match else None


def _replication_factor(schema: str) -> int | None:
    """The factor; per data centre when all have the same."""
    match = _REPLICATION.search(schema)
    pairs = (part.partition("=") for part in (match[1] if match else "").split(","))
    numbers = {figures.integer(value) for key, _, value in pairs if key.strip() != "strategy"}
    return numbers.pop() if len(numbers) == 1 else None


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    return int(match[1]) if match else None


def _float(pattern: re.Pattern[str], text: str) -> float | None:
    number = _number(pattern, text)
    return None if number is None else float(number)


def _scaled(text: str) -> int:
    scale = text[-1].lower() if text[-1].isalpha() else ""
    return int(text[: len(text) - len(scale)]) * _SCALES[scale]
