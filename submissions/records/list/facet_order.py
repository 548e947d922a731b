"""The facets of the list, in the order of the page, and the column of each."""

from submissions.facts import FACTS

# Parameters of the filter, in the order of the page: the limits follow the first ones, other facts precede the last.
FIRST = ("service", "provider", "instance_type")
_AFTER_LIMITS = ("trust", "region", "node_count")
_LAST = ("tool", "latency_kind", "license", "pack", "flag", "age", "workload")
_ORDERED = (*FIRST, *_AFTER_LIMITS, *_LAST)
_OTHERS = [fact.key for fact in FACTS.values() if fact.is_counted and fact.key not in _ORDERED]
_SHOWN = (*FIRST, *_AFTER_LIMITS, *_OTHERS, *_LAST)
_OWN_COLUMNS = {"workload": "workload_id", "age": "age"}  # the marks of the day are no column of the table
FACET_COLUMNS = {name: _OWN_COLUMNS.get(name) or FACTS[name].column for name in _SHOWN}
