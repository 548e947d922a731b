"""The README and the licence of a dump."""

from datetime import datetime

from submissions.dataset.schema import TABLES

LICENSE = """The data of Benchsite

Results are licensed one by one: column `license` of the submissions. CC-BY-4.0 is the Creative Commons Attribution
4.0 International licence, https://creativecommons.org/licenses/by/4.0/: use them for any purpose, and name the source,
which is the page of the result and, where there is one, its submitter (column `submitted_by`). A row
"not stated by the source" quotes figures from the article named in its column `source`, whose authors keep their
rights.

Prices are facts that the providers publish. The operators of this site claim no rights of their own and give no
warranty.

Please cite what you use: the page of each result, /submissions/<id>/, has a BibTeX entry.
"""

_README = """# The dataset of Benchsite, {made_at:%Y-%m-%d %H:%M} UTC

Everything that was public at that time: every published submission with its trials and machines, the workloads and
the dated price book. Retracted submissions are excluded. Raw logs and histograms can be downloaded from the page of
each submission.

{tables}

`schema.json` describes each column: type, unit and meaning. `SHA256SUMS` has the checksum of each file. Each table
comes as Parquet and as CSV (gzip, UTF-8), with the same rows in the same order.

- Unknown is null in Parquet and an empty cell in CSV; it is never 0. Only Parquet distinguishes an empty text from
  an unknown one.
- Money is exact: decimal in Parquet, digits in CSV. Times are in UTC.
- In CSV a list is separated by `;`, and text that a spreadsheet would run as a formula has a leading `'`.
- Compare only submissions with the same `workload` and, for latencies, the same `latency_kind`. Percentiles cannot
  be averaged.

`submissions/`, `trials/` and `node_groups/` hold the same rows of these three tables again, in folders such as
`submissions/service=cassandra/month=2026-11/`. `service` and `month` (of publication) are read from the path, so that a
query which names them opens only their files. From a copy of this folder, or from the bucket of the site:

    SELECT month, count(*) FROM read_parquet('submissions/*/*/*.parquet', hive_partitioning = true)
    WHERE service = 'cassandra' GROUP BY month                                                          -- DuckDB

    SELECT month, count() FROM file('submissions/*/*/*.parquet', Parquet)
    WHERE service = 'cassandra' GROUP BY month SETTINGS use_hive_partitioning = 1                       -- ClickHouse

    spark.read.parquet("submissions").where("service = 'cassandra'").groupBy("month").count()         # Spark

    import pandas
    submissions = pandas.read_parquet("submissions.parquet")

    duckdb -c "SELECT workload, provider, max(ops_per_usd) FROM 'submissions.parquet' GROUP BY workload, provider"
"""


def readme(made_at: datetime) -> str:
    tables = "\n".join(f"- `{table.name}`: {table.meaning}" for table in TABLES)
    return _README.format(made_at=made_at, tables=tables)
