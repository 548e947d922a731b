"""The README and the licence of a dump."""

from collections.abc import Sequence
from datetime import datetime

from submissions.dataset.licenses import LicenseCount, mixed_sentence
from submissions.dataset.schema import TABLES

_LICENSE = """The data of Benchsite

Results are licensed one by one: column `license` of the submissions.
{counts}
CC-BY-4.0 is the Creative Commons Attribution
4.0 International licence, https://creativecommons.org/licenses/by/4.0/: use them for any purpose, and name the source,
which is the page of the result and, where there is one, its submitter (column `submitted_by`). A row
"not stated by the source" quotes figures from the article named in its column `source`, whose authors keep their
rights. Where the column `attribution` has words, every copy of the row has to carry them. CC-BY-SA-4.0 is the
Attribution-ShareAlike licence, https://creativecommons.org/licenses/by-sa/4.0/: what is derived from such rows is under
it too. Rows of a pack (column `pack`) were measured by others and came with the site.

Prices are facts that the providers publish. The operators of this site claim no rights of their own and give no
warranty.

Please cite what you use: the page of each result, /submissions/<id>/, has a BibTeX entry.
"""

_README = """# The dataset of Benchsite, {made_at:%Y-%m-%d %H:%M} UTC

Everything that was public at that time: every published submission with its trials and machines, the workloads and
the dated price book. Retracted submissions are excluded. Raw logs and histograms can be downloaded from the page of
each submission.

{licenses}{tables}

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


def readme(made_at: datetime, licenses: Sequence[LicenseCount]) -> str:
    tables = "\n".join(f"- `{table.name}`: {table.meaning}" for table in TABLES)
    mixed = mixed_sentence(licenses)
    return _README.format(made_at=made_at, tables=tables, licenses=f"{mixed} See LICENSE.\n\n" if mixed else "")


def license_text(licenses: Sequence[LicenseCount]) -> str:
    """Of a dump with these results, by licence."""
    return _LICENSE.format(counts="".join(f"- {count.words}\n" for count in licenses))
