"""Masks the secrets of a text: cheap where there is none, since most texts have none."""

from dataclasses import dataclass

from ahocorasick_rs import BytesAhoCorasick, Implementation

from submissions.ingest.secrets.detectors import DETECTORS, LITERALS, MOST_CHARACTERS, Detector

# Between asterisks as the load tools' own `*suppressed*`: readers of logs take it for the word that it replaces.
MASK = "*masked*"

BEFORE = 1024  # a command's name may stand this far before its option
REACH = MOST_CHARACTERS + BEFORE  # no match is longer
_NEAR = 256  # two windows with less between them are cheaper as one
# One pass for all of them: a log of 300 MB is searched, and most have none.
_ALL_LITERALS = BytesAhoCorasick(LITERALS, implementation=Implementation.DFA)


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret's place in a text, not the secret."""

    start: int
    end: int
    kind: str


def mask_text(text: str) -> str:
    secrets = secrets_in(text)
    return replaced(text, secrets) if secrets else text


def may_hold_secrets(data: bytes) -> bool:
    """Whether a closer look is needed."""
    return bool(literals_in(data.lower()))


def replaced(text: str, secrets: list[Secret]) -> str:
    """The text with a mask for each secret; lines stay where they are."""
    parts, done = [], 0
    for secret in secrets:
        parts += [text[done : secret.start], MASK, "\n" * text.count("\n", secret.start, secret.end)]
        done = secret.end
    return "".join((*parts, text[done:]))


def secrets_in(text: str) -> list[Secret]:
    """In order, without overlaps."""
    found = [
        Secret(start + first, start + last, detector.kind)
        for start, end in _windows(text)
        for detector in _candidates(text[start:end])
        for first, last in detector.spans(text[start:end])
    ]
    return _without_overlaps(found)


def _windows(text: str) -> list[tuple[int, int]]:
    """The parts of a text that may hold a secret: the lines around each literal, cut where a line is very long."""
    lower = _lower(text)
    literals = literals_in(lower)
    if not literals:
        return []
    places = []
    next_place: dict[int, int] = {}  # of each literal
    for literal, at, _ in literals:
        if at >= next_place.get(literal, 0):
            line_end = lower.find(b"\n", at)
            places.append(at)
            # the rest of this line is in the same window, unless the line is longer than that
            next_place[literal] = min(line_end if line_end >= 0 else len(lower), at + REACH)
    windows: list[tuple[int, int]] = []
    for at in sorted(places):
        start, end = _window(lower, at)
        if windows and start <= windows[-1][1] + _NEAR:
            start, end = windows[-1][0], max(end, windows.pop()[1])
        windows.append((start, end))
    return windows


def literals_in(lower: bytes) -> list[tuple[int, int, int]]:
    """The number of each literal in the bytes, its start and its end; each literal's from left to right."""
    return _ALL_LITERALS.find_matches_as_indexes(lower, overlapping=True)


def _window(lower: bytes, at: int) -> tuple[int, int]:
    start = max(lower.rfind(b"\n", 0, at) + 1, at - BEFORE)
    if lower.startswith(b"private key", at):
        return start, min(len(lower), at + REACH)
    end = lower.find(b"\n", at)
    if end >= 0 and lower[end - 1 : end] == b"\\":  # the command continues on the next line
        end = lower.find(b"\n", end + 1)
    return start, min(len(lower) if end < 0 else end, at + 2 * REACH)


def _candidates(text: str) -> list[Detector]:
    lower = _lower(text)
    return [detector for detector in DETECTORS if any(literal in lower for literal in detector.literals)]


def _lower(text: str) -> bytes:
    """A byte for each character, ASCII in lower case: what `str.lower` does may change lengths."""
    return text.encode("latin-1", "replace").lower()


def _without_overlaps(found: list[Secret]) -> list[Secret]:
    """Of two that overlap the union, with the kind of the first."""
    merged: list[Secret] = []
    for secret in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if merged and secret.start < merged[-1].end:
            last = merged.pop()
            secret = Secret(last.start, max(last.end, secret.end), last.kind)
        merged.append(secret)
    return merged
