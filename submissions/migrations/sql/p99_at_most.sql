-- The p99 of results with ids from %(first)s to %(last)s, where it is not filled yet. Over all operations where it is
-- known; else of each trial the highest of its types that have operations, and of the trials the median. As
-- submissions/analysis/slowest.py.
WITH of_trials AS (
    SELECT s.id, t.latency_kind, coalesce(t.latency_p99_ms, types.highest) AS p99,
        t.latency_p99_ms IS NULL AND types.n > 1 AS is_bound,
        CASE WHEN t.latency_p99_ms IS NULL AND types.n > 1 THEN types.slowest ELSE '' END AS slowest
    FROM submissions_submission s
    JOIN submissions_trial t ON t.submission_id = s.id AND t.is_at_peak
    CROSS JOIN LATERAL (
        SELECT count(*) AS n, CASE WHEN count(*) = count(each.p99) THEN max(each.p99) END AS highest,
            (array_agg(left(each.name, 100) ORDER BY each.p99 DESC NULLS LAST, each.place))[1] AS slowest
        FROM (
            SELECT value->>'name' AS name, (value->'latency_ms'->>'p99')::float8 AS p99, place
            FROM jsonb_array_elements(t.by_operation) WITH ORDINALITY AS type(value, place)
            WHERE value->'operations' IS DISTINCT FROM '0'::jsonb
        ) each
    ) types
    WHERE s.id BETWEEN %(first)s AND %(last)s AND s.latency_p99_at_most_ms IS NULL AND s.latency_p99_ms IS NULL
), filled AS (
    SELECT id, percentile_cont(0.5) WITHIN GROUP (ORDER BY p99) AS p99, bool_or(is_bound) AS is_bound,
        CASE WHEN min(slowest) = max(slowest) THEN min(slowest) ELSE '' END AS slowest
    FROM of_trials GROUP BY id HAVING count(*) = count(p99) AND count(DISTINCT latency_kind) = 1
    UNION ALL
    SELECT s.id, s.latency_p99_ms, false, '' FROM submissions_submission s
    WHERE s.id BETWEEN %(first)s AND %(last)s AND s.latency_p99_at_most_ms IS NULL AND s.latency_p99_ms IS NOT NULL
)
UPDATE submissions_submission s
SET latency_p99_at_most_ms = f.p99, latency_p99_is_bound = f.is_bound, latency_p99_bound_of = f.slowest
FROM filled f WHERE s.id = f.id
