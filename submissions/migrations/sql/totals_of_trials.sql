-- How much the trials of each repeated submission vary; of a load curve those of its peak.
CREATE OR REPLACE FUNCTION submissions_totals_of_trials(submissions bigint[], moment timestamptz)
RETURNS TABLE (workload_id bigint, shelf text, kind text, freedom integer, square numeric)
LANGUAGE sql STABLE AS $$
    WITH runs AS MATERIALIZED (
        SELECT r.id, r.workload_id, r.trust FROM submissions_totals_rows(moment) r
        WHERE r.is_ranked AND r.trials_count > 1 AND r.averaged_over IS NULL AND r.id = ANY ($1)
    ), figures AS (
        SELECT r.id, r.workload_id, r.trust, f.kind, f.x
        FROM runs r
        JOIN submissions_trial t ON t.submission_id = r.id AND t.is_at_peak
        CROSS JOIN LATERAL (
            SELECT '' AS kind, submissions_totals_log(t.throughput_ops_s) AS x WHERE t.throughput_ops_s > 0
            UNION ALL
            SELECT t.latency_kind::text, submissions_totals_log(t.latency_p99_ms) WHERE t.latency_p99_ms > 0
        ) f
    ), of_one AS (
        SELECT workload_id, trust, kind, (count(*) - 1)::integer AS freedom,
               round(sum(x * x) - sum(x) * sum(x) / count(*), 24) AS square
        FROM figures GROUP BY workload_id, trust, kind, id HAVING count(*) > 1
    )
    SELECT o.workload_id, s.shelf, o.kind, sum(o.freedom)::integer, sum(o.square)
    FROM of_one o
    CROSS JOIN LATERAL (
        SELECT 'historical' AS shelf WHERE o.trust = 'historical'
        UNION ALL SELECT 'uploaded' WHERE o.trust <> 'historical'
        UNION ALL SELECT 'log_verified' WHERE o.trust NOT IN ('historical', 'uploaded')
    ) s
    GROUP BY 1, 2, 3
$$;
