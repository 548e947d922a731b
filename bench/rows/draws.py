"""What each new row is made of: a real row, facts of its peers, a workload, shifts. The same for the same numbers."""

from bench.rows.chance import fraction, whole
from bench.rows.shares import Shares

RUNS_OF_A_SETUP = 3  # so many rows in a row are of one configuration
DAYS = 700  # a measurement is shifted by as many at most

# The real rows, numbered; each also within its service and its provider, from which it may get other facts.
BASE = """
CREATE UNLOGGED TABLE bench_base AS
SELECT id, workload_id, number, service,
       row_number() OVER (PARTITION BY service ORDER BY number) - 1 AS number_of_service,
       count(*) OVER (PARTITION BY service) AS of_service,
       provider,
       row_number() OVER (PARTITION BY provider ORDER BY number) - 1 AS number_of_provider,
       count(*) OVER (PARTITION BY provider) AS of_provider
FROM (SELECT id, workload_id, service, provider, row_number() OVER (ORDER BY id) - 1 AS number
      FROM submissions_submission WHERE source = %(source)s AND submitted_by_id IS NULL
      ORDER BY id LIMIT %(base)s) AS real_rows
"""


def draws(shares: Shares) -> str:
    """Makes `bench_draw`: a line for each of the numbers from %(first)s to before %(end)s."""
    setup = f"(n / {RUNS_OF_A_SETUP})"
    return f"""
CREATE UNLOGGED TABLE bench_draw AS
WITH popular AS (
    SELECT array_agg(number ORDER BY number) AS numbers FROM bench_base WHERE workload_id = %(popular)s
), numbered AS (
    SELECT n, {setup} AS setup,
           CASE WHEN {fraction(setup, 1)} < %(popular_share)s
                THEN numbers[1 + mod({whole(setup, 2)}, cardinality(numbers))]
                ELSE mod({whole(setup, 2)}, %(base)s) END AS number
    FROM generate_series(%(first)s::bigint, %(end)s::bigint - 1) AS n, popular
)
SELECT n, %(first_id)s + n - %(first)s AS id, real_row.id AS base_id,
       of_service.id AS software_id, of_provider.id AS place_id,
       variant.workload_id, variant.key_count,
       0.75 + 0.6 * {fraction("setup", 3)} AS setup_factor,
       (0.75 + 0.6 * {fraction("setup", 3)}) * (0.96 + 0.08 * {fraction("n", 4)}) AS factor,
       ({fraction("setup", 5)} * {DAYS} + {fraction("n", 6)} * 6) * interval '1 day' AS earlier,
       {shares.state("n")} AS state, {shares.trust("n")} AS trust
FROM numbered
JOIN bench_base AS real_row ON real_row.number = numbered.number
JOIN bench_base AS of_service ON of_service.service = real_row.service
     AND of_service.number_of_service = mod({whole("setup", 7)}, real_row.of_service)
JOIN bench_base AS of_provider ON of_provider.provider = real_row.provider
     AND of_provider.number_of_provider = mod({whole("setup", 8)}, real_row.of_provider)
JOIN bench_workload AS variant ON variant.base_id = real_row.workload_id
     AND variant.variant = floor(variant.variants * power({fraction("setup", 9)}, 3))
ORDER BY n
"""
