"""PerfKitBenchmarker: its samples of YCSB and memtier_benchmark, `perfkitbenchmarker_results.json`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from submissions.ingest.document.readings import LogReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.json_document import MAX_CHARACTERS
from submissions.ingest.parsers.perfkit import memtier, ycsb
from submissions.ingest.parsers.perfkit.samples import Sample, is_sample, samples
from submissions.ingest.parsers.runs import MAX_RUNS, RunReading, joined

_TOOLS: dict[str, tuple[Callable[[Sample], bool], Callable[[Sequence[Sample]], Iterator[RunReading]]]] = {
    ycsb.TOOL: (ycsb.is_of_ycsb, ycsb.readings),
    memtier.TOOL: (memtier.is_of_memtier, memtier.readings),
}
_MOST_NAMED = 5


class PerfKit:
    """The load tool is the one that it ran; cloud, zone and machines are those of the labels."""

    name = "perfkitbenchmarker"
    label = "PerfKitBenchmarker samples"
    databases: tuple[str, ...] = ()
    line_characters = MAX_CHARACTERS

    def matches(self, head: Sequence[str]) -> bool:
        return any(is_sample(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        tests: dict[str, None] = {}
        of_tool: dict[str, list[Sample]] = {}
        for sample in samples(lines):
            tests.setdefault(sample.test)
            for tool, (is_of_tool, _) in _TOOLS.items():
                if is_of_tool(sample):
                    of_tool.setdefault(tool, []).append(sample)
        if not of_tool:
            shown = ", ".join(list(tests)[:_MOST_NAMED]) or "none"
            raise ParseError(f"only samples of YCSB and memtier_benchmark are read; the tests of the file are: {shown}")
        if len(of_tool) > 1:
            raise ParseError(f"samples of {' and '.join(sorted(of_tool))}: upload one file for each load tool")
        ((tool, found),) = of_tool.items()
        runs: list[RunReading] = []
        for start, reading in enumerate(_TOOLS[tool][1](found)):
            if start >= MAX_RUNS:
                raise ParseError(f"more than {MAX_RUNS} runs in the file")
            runs.append(replace(reading, start=start))
        return joined(tool, runs)


PARSER = PerfKit()
