"""What stands beside the tables of a dump, in words."""

from datetime import datetime

from submissions.dataset.schema import TABLES

LICENSE = """The data of Benchsite

Measurements, prices and the facts about them can be used by anyone for any purpose: the keepers of this site claim
no right in them, and give no warranty for them.

Titles, notes and command lines are the words of their submitters (column `submitted_by`); what has a `source` states
facts of the article named there.

Please cite what you use: each submission's page, /submissions/<id>/, has a BibTeX entry.
"""

_README = """# The dataset of Benchsite, {made_at:%Y-%m-%d %H:%M} UTC

Everything that was public at that moment: every published submission with its trials and machines, the workloads and
the dated price book. Retracted submissions are left out. Raw logs and histograms are files of each submission's page.

{tables}

`schema.json` has the type, the unit and the meaning of each column, `SHA256SUMS` the sum of each file. Each table is
there as Parquet and as CSV (gzip, UTF-8), with the same rows in the same order.

- Unknown is null in Parquet and an empty cell in CSV; it is never 0. Parquet tells an empty text from an unknown one.
- Money is exact: decimal in Parquet, digits in CSV. Times are UTC.
- In CSV a list is separated by `;`, and a text that a spreadsheet would run as a formula has a leading `'`.
- Compare only submissions with the same `workload` and, for latencies, the same `latency_kind`. Percentiles cannot
  be averaged.

    import pandas
    submissions = pandas.read_parquet("submissions.parquet")

    duckdb -c "SELECT workload, provider, max(ops_per_usd) FROM 'submissions.parquet' GROUP BY workload, provider"
"""


def readme(made_at: datetime) -> str:
    tables = "\n".join(f"- `{table.name}`: {table.meaning}" for table in TABLES)
    return _README.format(made_at=made_at, tables=tables)
