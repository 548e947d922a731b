-- The totals of submissions/models/totals.py: exact at the end of every transaction that changes a row.
--
-- Statement triggers note the rows (submissions_totalschange); a deferred trigger on the notes counts when the
-- transaction commits. Rows of submissions_workloadtotals are the locks: taken last and in order, so that no two
-- transactions wait for each other, and held for the moment of the commit only.

CREATE TABLE submissions_totalschange (
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
    added bigint[] NOT NULL DEFAULT '{}',   -- submissions that are new
    changed bigint[] NOT NULL DEFAULT '{}', -- workloads to count again
    touched bigint[] NOT NULL DEFAULT '{}'  -- submissions whose trials or machines are new or changed
);
CREATE INDEX submissions_totalschange_transaction ON submissions_totalschange (transaction);

-- Room for the next version of a row beside it: no index changes when a number does.
ALTER TABLE submissions_workloadtotals SET (fillfactor = 70);
ALTER TABLE submissions_traittotals SET (fillfactor = 70);
ALTER TABLE submissions_grouptotals SET (fillfactor = 70);
ALTER TABLE submissions_noisetotals SET (fillfactor = 70);

-- Submissions as the totals see them at a moment. One SELECT, so that PostgreSQL plans it as part of the query.
CREATE OR REPLACE FUNCTION submissions_totals_rows(moment timestamptz)
RETURNS TABLE (
    id bigint, workload_id bigint, configuration text, provider text, instance_type text, jdk_vendor text,
    jdk_version text, disk_kind text, trust text, latency_kind text, latency_p99_ms float8, throughput_ops_s float8,
    ops_per_usd numeric, measured_at timestamptz, trials_count integer, averaged_over integer,
    cache_node_count integer, flags text[], is_open boolean, is_published boolean, is_unranked boolean,
    is_ranked boolean, is_priced boolean, changes_at timestamptz
) LANGUAGE sql STABLE AS $$
    SELECT
        s.id, s.workload_id, s.configuration::text, s.provider::text, s.instance_type::text, s.jdk_vendor::text,
        s.jdk_version::text, s.disk_kind::text, s.trust::text, s.latency_kind::text, s.latency_p99_ms,
        s.throughput_ops_s, s.ops_per_usd, s.measured_at, s.trials_count, s.averaged_over, s.cache_node_count,
        s.flags::text[], open.yes, open.yes AND s.retracted_at IS NULL, held.yes, ranked.yes,
        ranked.yes AND s.ops_per_usd IS NOT NULL AND NOT s.flags::text[] @> '{stated_price_off}',
        least(
            CASE WHEN s.embargo_until > moment THEN s.embargo_until END,
            CASE WHEN s.unranked_until > moment THEN s.unranked_until END,
            -- a successor under an embargo
            (SELECT min(n.embargo_until) FROM submissions_submission n
             WHERE n.supersedes_id = s.id AND n.supersedes_id IS NOT NULL AND n.embargo_until > moment)
        )
    FROM submissions_submission s
    CROSS JOIN LATERAL (SELECT
        CASE WHEN s.embargo_until IS NULL THEN s.visibility = 'public' ELSE s.embargo_until <= moment END
        AND s.hidden_at IS NULL
        AND NOT EXISTS (
            SELECT FROM submissions_submission n
            -- not null: so that no plan reads all rows
            WHERE n.supersedes_id = s.id AND n.supersedes_id IS NOT NULL
            AND n.retracted_at IS NULL AND n.hidden_at IS NULL
            AND CASE WHEN n.embargo_until IS NULL THEN n.visibility = 'public' ELSE n.embargo_until <= moment END
        ) AS yes
        OFFSET 0  -- evaluated once a row, as below
    ) open
    CROSS JOIN LATERAL (SELECT s.unranked_at IS NOT NULL OR coalesce(s.unranked_until > moment, false) AS yes) held
    CROSS JOIN LATERAL (SELECT
        open.yes AND s.retracted_at IS NULL AND s.throughput_ops_s IS NOT NULL AND NOT held.yes
        AND NOT s.flags::text[] &&
            '{rate_mismatch,littles_law,errors,truncated,failed,incomplete,rate_implausible,throttled}'
        AS yes
        OFFSET 0
    ) ranked
$$;

-- 10^6 times the logarithm, as a decimal that keeps all digits of the float: sums of it depend on no order.
CREATE OR REPLACE FUNCTION submissions_totals_log(figure float8) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT floor(ln(figure) * 1e6)::bigint::numeric
           + round((ln(figure) * 1e6 - floor(ln(figure) * 1e6))::numeric, 12)
$$;

-- Runs by configuration: how many, and the sums of their logarithms and of 1 / repetitions.
CREATE OR REPLACE FUNCTION submissions_totals_of_runs(submissions bigint[], moment timestamptz)
RETURNS TABLE (
    workload_id bigint, configuration text, trust text, kind text, n integer, total numeric, squares numeric,
    share numeric
) LANGUAGE sql STABLE AS $$
    WITH runs AS MATERIALIZED (
        SELECT r.workload_id, r.configuration, r.throughput_ops_s, r.latency_kind, r.latency_p99_ms,
               CASE WHEN r.trust IN ('historical', 'uploaded') THEN r.trust ELSE 'log_verified' END AS trust,
               round(1::numeric / coalesce(r.averaged_over, greatest(r.trials_count, 1)), 24) AS share
        FROM submissions_totals_rows(moment) r WHERE r.is_ranked AND r.id = ANY (submissions)
    ), figures AS (
        SELECT workload_id, configuration, trust, '' AS kind, submissions_totals_log(throughput_ops_s) AS x, share
        FROM runs
        UNION ALL
        SELECT workload_id, configuration, trust, latency_kind, submissions_totals_log(latency_p99_ms), share
        FROM runs WHERE latency_p99_ms > 0
    )
    SELECT workload_id, configuration, trust, kind, count(*)::integer, sum(x), sum(x * x), sum(share)
    FROM figures GROUP BY 1, 2, 3, 4
$$;

-- How much the trials of each repeated submission vary. Later replaced: totals_of_trials.sql
CREATE OR REPLACE FUNCTION submissions_totals_of_trials(submissions bigint[], moment timestamptz)
RETURNS TABLE (workload_id bigint, shelf text, kind text, freedom integer, square numeric)
LANGUAGE sql STABLE AS $$
    WITH runs AS MATERIALIZED (
        SELECT r.id, r.workload_id, r.trust FROM submissions_totals_rows(moment) r
        WHERE r.is_ranked AND r.trials_count > 1 AND r.averaged_over IS NULL AND r.id = ANY ($1)
    ), figures AS (
        SELECT r.id, r.workload_id, r.trust, f.kind, f.x
        FROM runs r
        JOIN submissions_trial t ON t.submission_id = r.id
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

CREATE OR REPLACE FUNCTION submissions_totals_of_traits(submissions bigint[], moment timestamptz)
RETURNS TABLE (workload_id bigint, trust text, latency_kind text, bought text, traits integer, n integer)
LANGUAGE sql STABLE AS $$
    WITH rows AS MATERIALIZED (
        SELECT * FROM submissions_totals_rows(moment) r WHERE r.is_open AND r.id = ANY ($1)
    )
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
    GROUP BY 1, 2, 3, 4, 5
$$;

CREATE OR REPLACE FUNCTION submissions_totals_of_groups(submissions bigint[], moment timestamptz)
RETURNS TABLE (
    workload_id bigint, by text, key text, trust text, published integer, ranked integer, best_rate float8[],
    priced integer, best_value numeric[], worst_value numeric, service_time integer, best_service_time float8[],
    response_time integer, best_response_time float8[]
) LANGUAGE sql STABLE AS $$
    WITH rows AS MATERIALIZED (
        SELECT * FROM submissions_totals_rows(moment) r WHERE r.is_published AND r.id = ANY ($1)
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
    GROUP BY 1, 2, 3, 4
$$;

-- Adds submissions to the totals of their workloads, which are locked. Later replaced: totals_add.sql
CREATE OR REPLACE FUNCTION submissions_totals_add(submissions bigint[], moment timestamptz) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$  -- planning takes longer than adding
BEGIN
    INSERT INTO submissions_traittotals AS t (workload_id, trust, latency_kind, bought, traits, n)
    SELECT * FROM submissions_totals_of_traits(submissions, moment)
    ON CONFLICT (workload_id, trust, latency_kind, bought, traits) DO UPDATE SET n = t.n + excluded.n;

    INSERT INTO submissions_grouptotals AS t (
        workload_id, by, key, trust, published, ranked, best_rate, priced, best_value, worst_value, service_time,
        best_service_time, response_time, best_response_time
    )
    SELECT * FROM submissions_totals_of_groups(submissions, moment)
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
        best_response_time = greatest(t.best_response_time, excluded.best_response_time);

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
        SELECT -1 AS sign, b.* FROM before b UNION ALL SELECT 1, b.* FROM before b UNION ALL SELECT 1, a.* FROM added a
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
            ELSE 0 END,
        providers = of_groups.providers,
        instance_types = of_groups.instance_types,
        machine_types = CASE WHEN t.proven + new.proven > 0 THEN of_groups.with_log ELSE of_groups.historical END
    FROM (
        WITH rows AS MATERIALIZED (SELECT * FROM submissions_totals_rows(moment) r WHERE r.id = ANY (submissions))
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
    INSERT INTO submissions_workloadtotals (workload_id)
    SELECT w.id FROM submissions_workload w WHERE w.id = ANY (workloads) ORDER BY w.id ON CONFLICT DO NOTHING;
    PERFORM FROM submissions_workloadtotals t WHERE t.workload_id = ANY (workloads) ORDER BY t.workload_id FOR UPDATE;
END $$;

-- Counts workloads again, from their rows.
CREATE OR REPLACE FUNCTION submissions_totals_recount(workloads bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one bigint;
BEGIN
    PERFORM submissions_totals_lock(workloads);
    FOREACH one IN ARRAY workloads LOOP
        DELETE FROM submissions_traittotals t WHERE t.workload_id = one;
        DELETE FROM submissions_grouptotals t WHERE t.workload_id = one;
        DELETE FROM submissions_noisetotals t WHERE t.workload_id = one;
        DELETE FROM submissions_configurationtotals t WHERE t.workload_id = one;
        UPDATE submissions_workloadtotals t SET valid_until = NULL, recounts = t.recounts + 1, published = 0,
            providers = 0, instance_types = 0, newest = NULL, proven = 0, valued = 0, machine_types = 0,
            priced_historical = 0, priced_uploaded = 0, priced_log_verified = 0, priced_run_by_owner = 0,
            priced_run_by_us = 0, priced_reproduced = 0
        WHERE t.workload_id = one;
        PERFORM submissions_totals_add(
            array(SELECT s.id FROM submissions_submission s WHERE s.workload_id = one), clock_timestamp()
        );
    END LOOP;
END $$;

-- When the transaction commits: what it noted is counted, and the notes are gone.
CREATE OR REPLACE FUNCTION submissions_totals_settle() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
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
    -- a large one is counted by the next `recount_totals`: its readers read the rows until then
    UPDATE submissions_workloadtotals t SET valid_until = 'epoch' WHERE t.workload_id = ANY (again) AND t.published > 2000;
    PERFORM submissions_totals_recount(array(
        SELECT t.workload_id FROM submissions_workloadtotals t WHERE t.workload_id = ANY (again) AND t.published <= 2000
        ORDER BY 1
    ));
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER submissions_totals_settle AFTER INSERT ON submissions_totalschange
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION submissions_totals_settle();

CREATE OR REPLACE FUNCTION submissions_totals_note_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO submissions_totalschange (added, changed)
    SELECT array_agg(n.id), array(
        SELECT s.workload_id FROM submissions_submission s
        WHERE s.id IN (SELECT m.supersedes_id FROM new_rows m WHERE m.supersedes_id IS NOT NULL)
    )
    FROM new_rows n HAVING count(*) > 0;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION submissions_totals_note_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    workloads bigint[];
BEGIN
    WITH changed AS (
        SELECT unnest(ARRAY[o.workload_id, n.workload_id]) AS workload_id,
               unnest(ARRAY[o.supersedes_id, n.supersedes_id]) AS supersedes_id
        FROM old_rows o JOIN new_rows n ON n.id = o.id
        WHERE (o.workload_id, o.configuration, o.provider, o.instance_type, o.jdk_vendor, o.jdk_version, o.disk_kind,
               o.cache_node_count, o.trust, o.flags, o.latency_kind, o.latency_p99_ms, o.throughput_ops_s,
               o.ops_per_usd, o.measured_at, o.trials_count, o.averaged_over, o.visibility, o.embargo_until,
               o.retracted_at, o.hidden_at, o.unranked_at, o.unranked_until, o.supersedes_id)
        IS DISTINCT FROM
              (n.workload_id, n.configuration, n.provider, n.instance_type, n.jdk_vendor, n.jdk_version, n.disk_kind,
               n.cache_node_count, n.trust, n.flags, n.latency_kind, n.latency_p99_ms, n.throughput_ops_s,
               n.ops_per_usd, n.measured_at, n.trials_count, n.averaged_over, n.visibility, n.embargo_until,
               n.retracted_at, n.hidden_at, n.unranked_at, n.unranked_until, n.supersedes_id)
    )
    SELECT array(
        SELECT c.workload_id FROM changed c UNION
        SELECT s.workload_id FROM submissions_submission s
        WHERE s.id IN (SELECT c.supersedes_id FROM changed c WHERE c.supersedes_id IS NOT NULL)
    ) INTO workloads;
    IF workloads <> '{}' THEN
        INSERT INTO submissions_totalschange (changed) VALUES (workloads);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION submissions_totals_note_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO submissions_totalschange (changed)
    SELECT array_agg(DISTINCT gone.workload_id) FROM (
        SELECT o.workload_id FROM old_rows o UNION
        SELECT s.workload_id FROM submissions_submission s
        WHERE s.id IN (SELECT o.supersedes_id FROM old_rows o WHERE o.supersedes_id IS NOT NULL)
    ) gone HAVING count(*) > 0;
    RETURN NULL;
END $$;

-- Of trials and node groups; `rows` are the new ones, or the ones that are gone.
CREATE OR REPLACE FUNCTION submissions_totals_note_touched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO submissions_totalschange (touched)
    SELECT array_agg(DISTINCT r.submission_id) FROM rows r HAVING count(*) > 0;
    RETURN NULL;
END $$;

CREATE TRIGGER submissions_totals_added AFTER INSERT ON submissions_submission
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION submissions_totals_note_added();
CREATE TRIGGER submissions_totals_changed AFTER UPDATE ON submissions_submission
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
EXECUTE FUNCTION submissions_totals_note_changed();
CREATE TRIGGER submissions_totals_removed AFTER DELETE ON submissions_submission
REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION submissions_totals_note_removed();

CREATE TRIGGER submissions_totals_added AFTER INSERT ON submissions_trial
REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION submissions_totals_note_touched();
CREATE TRIGGER submissions_totals_changed AFTER UPDATE ON submissions_trial
REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION submissions_totals_note_touched();
CREATE TRIGGER submissions_totals_removed AFTER DELETE ON submissions_trial
REFERENCING OLD TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION submissions_totals_note_touched();
CREATE TRIGGER submissions_totals_added AFTER INSERT ON submissions_nodegroup
REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION submissions_totals_note_touched();
CREATE TRIGGER submissions_totals_changed AFTER UPDATE ON submissions_nodegroup
REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION submissions_totals_note_touched();
CREATE TRIGGER submissions_totals_removed AFTER DELETE ON submissions_nodegroup
REFERENCING OLD TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION submissions_totals_note_touched();
