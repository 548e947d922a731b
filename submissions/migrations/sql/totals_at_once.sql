-- Adds submissions to the totals of their workloads, which are locked. They are read once, and all that each of them
-- changes is one statement: most are added one by one, and beginning a statement takes longer than adding a row. What
-- a single one cannot change is left alone.
CREATE OR REPLACE FUNCTION submissions_totals_add(submissions bigint[], moment timestamptz) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$  -- planning takes longer than adding
DECLARE
    is_one boolean := cardinality(submissions) = 1;
    has_new_group boolean;
    has_ranked boolean;
BEGIN
    WITH rows AS MATERIALIZED (
        SELECT * FROM submissions_totals_rows(moment) r WHERE r.id = ANY (submissions)
    ), traits AS (
        INSERT INTO submissions_traittotals AS t (workload_id, trust, latency_kind, bought, traits, n)
        SELECT r.workload_id, r.trust, r.latency_kind, coalesce(system.bought, ''),
            (NOT r.is_published)::integer                                          -- retracted
            + (r.throughput_ops_s IS NULL)::integer * 2                            -- relative
            + (r.flags && '{rate_mismatch,littles_law,errors,truncated,failed,incomplete,rate_implausible}')::integer * 4
            + (r.flags @> '{throttled}')::integer * 8
            + r.is_unranked::integer * 16
            + (r.ops_per_usd IS NULL)::integer * 32                                -- without a value
            + (r.flags @> '{stated_price_off}')::integer * 64
            + (r.latency_p99_ms IS NOT NULL)::integer * 128
            + coalesce(r.latency_p99_ms > 0, false)::integer * 256
            + (r.measured_at IS NULL)::integer * 512                               -- undated
            + (r.cache_node_count > 0)::integer * 1024
            + coalesce(system.mixed_machines, false)::integer * 2048,
            count(*)::integer
        FROM rows r
        LEFT JOIN LATERAL (
            SELECT CASE WHEN min(g.pricing_model) = max(g.pricing_model) THEN min(g.pricing_model) ELSE 'mixed' END AS bought,
                   bool_or(g.role = 'database' AND g.instance_type <> r.instance_type) AS mixed_machines
            FROM submissions_nodegroup g WHERE g.submission_id = r.id AND g.role IN ('database', 'cache')
        ) system ON true
        WHERE r.is_open
        GROUP BY 1, 2, 3, 4, 5
        ON CONFLICT (workload_id, trust, latency_kind, bought, traits) DO UPDATE SET n = t.n + excluded.n
    ), groups AS (
        INSERT INTO submissions_grouptotals AS t (
            workload_id, by, key, trust, published, ranked, best_rate, priced, best_value, worst_value, service_time,
            best_service_time, response_time, best_response_time
        )
        SELECT r.workload_id, g.by, g.key, r.trust, count(*)::integer,
            count(*) FILTER (WHERE r.is_ranked)::integer,
            max(ARRAY[r.throughput_ops_s, r.id]) FILTER (WHERE r.is_ranked),
            count(*) FILTER (WHERE r.is_priced)::integer,
            max(ARRAY[r.ops_per_usd, r.id]) FILTER (WHERE r.is_priced),
            min(r.ops_per_usd) FILTER (WHERE r.is_priced),
            count(*) FILTER (WHERE r.is_ranked AND r.latency_p99_ms > 0 AND r.latency_kind = 'service_time')::integer,
            max(ARRAY[-r.latency_p99_ms, r.id])
                FILTER (WHERE r.is_ranked AND r.latency_p99_ms > 0 AND r.latency_kind = 'service_time'),
            count(*) FILTER (WHERE r.is_ranked AND r.latency_p99_ms > 0 AND r.latency_kind = 'response_time')::integer,
            max(ARRAY[-r.latency_p99_ms, r.id])
                FILTER (WHERE r.is_ranked AND r.latency_p99_ms > 0 AND r.latency_kind = 'response_time')
        FROM rows r
        CROSS JOIN LATERAL (VALUES
            ('provider', r.provider),
            ('instance_type', r.provider || E'\x1f' || r.instance_type),
            ('jdk', coalesce(r.jdk_vendor, E'\x1e') || E'\x1f' || coalesce(r.jdk_version, E'\x1e')),
            ('disk', coalesce(r.disk_kind, E'\x1e'))
        ) AS g(by, key)
        WHERE r.is_published
        GROUP BY 1, 2, 3, 4
        ON CONFLICT (workload_id, by, key, trust) DO UPDATE SET
            published = t.published + excluded.published,
            ranked = t.ranked + excluded.ranked,
            best_rate = greatest(t.best_rate, excluded.best_rate),
            priced = t.priced + excluded.priced,
            best_value = greatest(t.best_value, excluded.best_value),
            worst_value = least(t.worst_value, excluded.worst_value),
            service_time = t.service_time + excluded.service_time,
            best_service_time = greatest(t.best_service_time, excluded.best_service_time),
            response_time = t.response_time + excluded.response_time,
            best_response_time = greatest(t.best_response_time, excluded.best_response_time)
        RETURNING t.by, t.published, t.ranked, t.priced
    ), workloads AS (
        UPDATE submissions_workloadtotals t SET
            valid_until = least(t.valid_until, new.changes_at),
            published = t.published + new.published,
            newest = greatest(t.newest, new.newest),
            proven = t.proven + new.proven,
            priced_historical = t.priced_historical + new.priced_historical,
            priced_uploaded = t.priced_uploaded + new.priced_uploaded,
            priced_log_verified = t.priced_log_verified + new.priced_log_verified,
            priced_run_by_owner = t.priced_run_by_owner + new.priced_run_by_owner,
            priced_run_by_us = t.priced_run_by_us + new.priced_run_by_us,
            priced_reproduced = t.priced_reproduced + new.priced_reproduced,
            valued = t.valued + new.valued_with_log + CASE
                WHEN t.proven + new.proven = 0 THEN new.priced_historical
                WHEN t.proven = 0 THEN -t.priced_historical  -- what has a log takes the place of articles
                ELSE 0 END
        FROM (
            SELECT r.workload_id, min(r.changes_at) AS changes_at,
                count(*) FILTER (WHERE r.is_published) AS published,
                max(r.measured_at) FILTER (WHERE r.is_published) AS newest,
                count(*) FILTER (WHERE r.is_ranked AND r.trust NOT IN ('historical', 'uploaded')) AS proven,
                count(*) FILTER (WHERE r.is_priced AND r.trust NOT IN ('historical', 'uploaded')) AS valued_with_log,
                count(*) FILTER (WHERE r.is_priced AND r.trust = 'historical') AS priced_historical,
                count(*) FILTER (WHERE r.is_priced AND r.trust = 'uploaded') AS priced_uploaded,
                count(*) FILTER (WHERE r.is_priced AND r.trust = 'log_verified') AS priced_log_verified,
                count(*) FILTER (WHERE r.is_priced AND r.trust = 'run_by_owner') AS priced_run_by_owner,
                count(*) FILTER (WHERE r.is_priced AND r.trust = 'run_by_us') AS priced_run_by_us,
                count(*) FILTER (WHERE r.is_priced AND r.trust = 'reproduced') AS priced_reproduced
            FROM rows r GROUP BY 1
        ) new
        WHERE t.workload_id = new.workload_id
    )
    -- with 1 it may be the first of its group, or the first there that counts
    SELECT (SELECT bool_or(g.by IN ('provider', 'instance_type') AND 1 IN (g.published, g.ranked, g.priced))
            FROM groups g),
           (SELECT bool_or(r.is_ranked) FROM rows r)
    INTO has_new_group, has_ranked;

    IF NOT is_one OR has_ranked THEN
        -- of the configurations that have new runs: what they say now, less what they said before
        WITH added AS MATERIALIZED (
            SELECT * FROM submissions_totals_of_runs(submissions, moment)
        ), before AS MATERIALIZED (
            SELECT c.workload_id, c.configuration, c.trust, c.kind, c.n, c.total, c.squares, c.share
            FROM (SELECT DISTINCT workload_id, configuration FROM added) a
            JOIN submissions_configurationtotals c USING (workload_id, configuration)
        ), stored AS (
            INSERT INTO submissions_configurationtotals AS t (
                workload_id, configuration, trust, kind, n, total, squares, share
            )
            SELECT * FROM added
            ON CONFLICT (workload_id, configuration, trust, kind) DO UPDATE SET
                n = t.n + excluded.n, total = t.total + excluded.total, squares = t.squares + excluded.squares,
                share = t.share + excluded.share
        ), parts AS (
            SELECT -1 AS sign, b.* FROM before b
            UNION ALL SELECT 1, b.* FROM before b
            UNION ALL SELECT 1, a.* FROM added a
        ), of_configurations AS (
            SELECT p.sign, p.workload_id, s.shelf, p.kind, p.configuration, sum(p.n)::integer AS n, sum(p.total) AS total,
                   sum(p.squares) AS squares, sum(p.share) AS share
            FROM parts p
            JOIN (VALUES ('log_verified', 'log_verified'), ('uploaded', 'log_verified'), ('uploaded', 'uploaded'),
                         ('historical', 'historical')) AS s(shelf, trust) USING (trust)
            GROUP BY 1, 2, 3, 4, 5
        ), sums AS (
            SELECT workload_id, shelf, kind, CASE WHEN kind = '' THEN sign ELSE 0 END AS configurations,
                   sign * (n - 1) AS freedom, sign * round(squares - total * total / n, 24) AS square,
                   sign * round((n - 1) * share / n, 24) AS trials_share, 0 AS trial_freedom, 0::numeric AS trial_square
            FROM of_configurations
            UNION ALL
            SELECT t.workload_id, t.shelf, t.kind, 0, 0, 0, 0, t.freedom, t.square
            FROM submissions_totals_of_trials(submissions, moment) t
        )
        INSERT INTO submissions_noisetotals AS t (
            workload_id, shelf, kind, configurations, freedom, square, trials_share, trial_freedom, trial_square
        )
        SELECT workload_id, shelf, kind, sum(configurations), sum(freedom), sum(square), sum(trials_share),
               sum(trial_freedom), sum(trial_square)
        FROM sums GROUP BY 1, 2, 3
        ON CONFLICT (workload_id, shelf, kind) DO UPDATE SET
            configurations = t.configurations + excluded.configurations,
            freedom = t.freedom + excluded.freedom,
            square = t.square + excluded.square,
            trials_share = t.trials_share + excluded.trials_share,
            trial_freedom = t.trial_freedom + excluded.trial_freedom,
            trial_square = t.trial_square + excluded.trial_square;
    END IF;

    IF is_one AND NOT coalesce(has_new_group, false) THEN
        RETURN;  -- it is one more of what was there
    END IF;
    UPDATE submissions_workloadtotals t SET
        providers = of_groups.providers,
        instance_types = of_groups.instance_types,
        machine_types = CASE WHEN t.proven > 0 THEN of_groups.with_log ELSE of_groups.historical END
    FROM (SELECT DISTINCT s.workload_id FROM submissions_submission s WHERE s.id = ANY (submissions)) new
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT g.key) FILTER (WHERE g.by = 'provider') AS providers,
            count(DISTINCT split_part(g.key, E'\x1f', 2)) FILTER (WHERE g.by = 'instance_type') AS instance_types,
            count(DISTINCT g.key) FILTER (WHERE g.by = 'instance_type' AND g.priced > 0
                                          AND g.trust NOT IN ('historical', 'uploaded')) AS with_log,
            count(DISTINCT g.key) FILTER (WHERE g.by = 'instance_type' AND g.priced > 0
                                          AND g.trust = 'historical') AS historical
        FROM submissions_grouptotals g
        WHERE g.workload_id = new.workload_id AND g.by IN ('provider', 'instance_type')
    ) of_groups
    WHERE t.workload_id = new.workload_id;
END $$;

-- Takes the locks of workloads, in order; they last until the transaction ends.
CREATE OR REPLACE FUNCTION submissions_totals_lock(workloads bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(workloads) = 1 THEN
        PERFORM FROM submissions_workloadtotals t WHERE t.workload_id = workloads[1] FOR UPDATE;
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    INSERT INTO submissions_workloadtotals (workload_id)
    SELECT w.id FROM submissions_workload w WHERE w.id = ANY (workloads) ORDER BY w.id ON CONFLICT DO NOTHING;
    PERFORM FROM submissions_workloadtotals t WHERE t.workload_id = ANY (workloads) ORDER BY t.workload_id FOR UPDATE;
END $$;

-- When the transaction commits: what it noted is counted, and the notes are gone.
CREATE OR REPLACE FUNCTION submissions_totals_settle() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off AS $$  -- a plan may be made while a table is small, and is used as it grows
DECLARE
    new_rows bigint[];
    of_new bigint[];
    again bigint[];
BEGIN
    WITH notes AS (
        DELETE FROM submissions_totalschange c WHERE c.transaction = pg_current_xact_id() RETURNING c.*
    )
    SELECT array(SELECT unnest(added) FROM notes),
           array(SELECT unnest(changed) FROM notes UNION
                 SELECT s.workload_id FROM submissions_submission s
                 WHERE s.id IN (SELECT unnest(touched) FROM notes EXCEPT SELECT unnest(added) FROM notes))
    INTO new_rows, again;
    IF new_rows = '{}' AND again = '{}' THEN
        RETURN NULL;  -- an earlier note of this transaction has settled this one
    END IF;
    SELECT array_agg(s.id), array_agg(DISTINCT s.workload_id) INTO new_rows, of_new
    FROM submissions_submission s WHERE s.id = ANY (new_rows) AND s.workload_id <> ALL (again);
    PERFORM submissions_totals_lock(of_new || again);
    IF new_rows IS NOT NULL THEN
        PERFORM submissions_totals_add(new_rows, clock_timestamp());
    END IF;
    IF again = '{}' THEN
        RETURN NULL;
    END IF;
    -- a large one is counted by the next `recount_totals`: its readers read the rows until then
    UPDATE submissions_workloadtotals t SET valid_until = 'epoch' WHERE t.workload_id = ANY (again) AND t.published > 2000;
    PERFORM submissions_totals_recount(array(
        SELECT t.workload_id FROM submissions_workloadtotals t WHERE t.workload_id = ANY (again) AND t.published <= 2000
        ORDER BY 1
    ));
    RETURN NULL;
END $$;
