-- A change of stored submissions: what they were counted as is taken out of the totals of their workloads, and what
-- they are now is added. Their workloads are not counted again, however large they are.
--
-- Before a row changes, a trigger notes how totals see it, and what it supersedes (submissions_totals_note). When the
-- transaction commits, it holds the totals; `recounts` says whether somebody else has revised them since the note: then,
-- and after changes of many rows, of trials or of machines, the workload is counted again as ever.
--
-- Totals are those of one moment for all rows: of now, or of just before `valid_until` where that has passed. When a
-- time has passed, submissions_totals_expire revises what it has changed.

-- As the columns of submissions_totals_rows, and `recounts` of the workload then.
CREATE TYPE submissions_totals_counted AS (
    id bigint, workload_id bigint, configuration text, provider text, instance_type text, jdk_vendor text,
    jdk_version text, disk_kind text, trust text, latency_kind text, latency_p99_ms float8, throughput_ops_s float8,
    ops_per_usd numeric, measured_at timestamptz, trials_count integer, averaged_over integer,
    cache_node_count integer, flags text[], is_open boolean, is_published boolean, is_unranked boolean,
    is_ranked boolean, is_priced boolean, changes_at timestamptz, recounts bigint
);
-- A group, and which of its bests are to be looked up.
CREATE TYPE submissions_totals_group AS (
    workload_id bigint, by text, key text, trust text, rate boolean, value boolean, worst boolean,
    service_time boolean, response_time boolean
);
ALTER TABLE submissions_totalschange ADD COLUMN counted submissions_totals_counted[] NOT NULL DEFAULT '{}';

-- The moment of totals that are true until then.
CREATE FUNCTION submissions_totals_moment(valid_until timestamptz) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT least(clock_timestamp(), CASE WHEN valid_until > 'epoch' THEN valid_until - interval '1 microsecond' END)
$$;

-- How the totals of their workloads have counted submissions: those that are true now, or at a moment.
CREATE FUNCTION submissions_totals_seen(submissions bigint[], moment timestamptz DEFAULT NULL)
RETURNS SETOF submissions_totals_counted LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    RETURN QUERY
    SELECT r.*, t.recounts
    FROM submissions_submission s
    LEFT JOIN submissions_workloadtotals t ON t.workload_id = s.workload_id
    CROSS JOIN LATERAL (SELECT coalesce(moment, submissions_totals_moment(t.valid_until)) AS moment OFFSET 0) own
    CROSS JOIN LATERAL submissions_totals_rows(own.moment) r
    WHERE s.id = ANY (submissions) AND r.id = s.id;
END $$;

-- Whether the transaction has changed more rows than are noted one by one.
CREATE FUNCTION submissions_totals_are_many() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(nullif(current_setting('submissions.totals_noted', true), ''), '0')::integer > 500
$$;

-- Before submissions change. The first note of a transaction is what was counted.
CREATE FUNCTION submissions_totals_note(VARIADIC submissions bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    noted integer := coalesce(nullif(current_setting('submissions.totals_noted', true), ''), '0');
BEGIN
    IF noted < 500 THEN
        INSERT INTO submissions_totalschange (counted)
        SELECT array_agg(seen) FROM submissions_totals_seen(array(
            SELECT id FROM unnest(submissions) AS id WHERE id IS NOT NULL
            EXCEPT
            SELECT k.id FROM submissions_totalschange c CROSS JOIN unnest(c.counted) k
            WHERE c.transaction = pg_current_xact_id()
        )) seen HAVING count(*) > 0;
    END IF;
    IF noted <= 500 THEN  -- beyond: those that follow note their workloads (submissions_totals_note_changed)
        PERFORM set_config('submissions.totals_noted', (noted + 1)::text, true);
    END IF;
END $$;

CREATE FUNCTION submissions_totals_note_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM submissions_totals_note(NEW.supersedes_id);
    ELSE
        PERFORM submissions_totals_note(OLD.id, OLD.supersedes_id, NEW.supersedes_id);
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER submissions_totals_before_insert BEFORE INSERT ON submissions_submission
FOR EACH ROW WHEN (NEW.supersedes_id IS NOT NULL) EXECUTE FUNCTION submissions_totals_note_before();
-- With the columns that `configuration` is computed from: it is not known yet.
CREATE TRIGGER submissions_totals_before_update BEFORE UPDATE ON submissions_submission
FOR EACH ROW WHEN (
    (OLD.workload_id, OLD.provider, OLD.instance_type, OLD.jdk_vendor, OLD.jdk_version, OLD.disk_kind,
     OLD.cache_node_count, OLD.trust, OLD.flags, OLD.latency_kind, OLD.latency_p99_ms, OLD.throughput_ops_s,
     OLD.ops_per_usd, OLD.measured_at, OLD.trials_count, OLD.averaged_over, OLD.visibility, OLD.embargo_until,
     OLD.retracted_at, OLD.hidden_at, OLD.unranked_at, OLD.unranked_until, OLD.supersedes_id,
     OLD.service_version, OLD.region, OLD.cpu_model, OLD.vcpus, OLD.node_count, OLD.client_count, OLD.network_kind,
     OLD.network_encryption, OLD.load_mode, OLD.threads, OLD.document)
    IS DISTINCT FROM
    (NEW.workload_id, NEW.provider, NEW.instance_type, NEW.jdk_vendor, NEW.jdk_version, NEW.disk_kind,
     NEW.cache_node_count, NEW.trust, NEW.flags, NEW.latency_kind, NEW.latency_p99_ms, NEW.throughput_ops_s,
     NEW.ops_per_usd, NEW.measured_at, NEW.trials_count, NEW.averaged_over, NEW.visibility, NEW.embargo_until,
     NEW.retracted_at, NEW.hidden_at, NEW.unranked_at, NEW.unranked_until, NEW.supersedes_id,
     NEW.service_version, NEW.region, NEW.cpu_model, NEW.vcpus, NEW.node_count, NEW.client_count, NEW.network_kind,
     NEW.network_encryption, NEW.load_mode, NEW.threads, NEW.document)
) EXECUTE FUNCTION submissions_totals_note_before();

-- Takes rows out of the totals of their workloads, which are locked; returns the groups whose bests are to be looked up.
CREATE FUNCTION submissions_totals_remove(counted submissions_totals_counted[])
RETURNS SETOF submissions_totals_group LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
    UPDATE submissions_traittotals t SET n = t.n - gone.n
    FROM (
        SELECT r.workload_id, r.trust, r.latency_kind, coalesce(system.bought, '') AS bought,
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
            + coalesce(system.mixed_machines, false)::integer * 2048 AS traits,
            count(*)::integer AS n
        FROM unnest(counted) r
        LEFT JOIN LATERAL (
            SELECT CASE WHEN min(g.pricing_model) = max(g.pricing_model) THEN min(g.pricing_model) ELSE 'mixed' END AS bought,
                   bool_or(g.role = 'database' AND g.instance_type <> r.instance_type) AS mixed_machines
            FROM submissions_nodegroup g WHERE g.submission_id = r.id AND g.role IN ('database', 'cache')
        ) system ON true
        WHERE r.is_open
        GROUP BY 1, 2, 3, 4, 5
    ) gone
    WHERE (t.workload_id, t.trust, t.latency_kind, t.bought, t.traits)
        = (gone.workload_id, gone.trust, gone.latency_kind, gone.bought, gone.traits);

    -- of the configurations that had these runs: what they say without them, less what they said before
    WITH runs AS MATERIALIZED (
        SELECT r.*, round(1::numeric / coalesce(r.averaged_over, greatest(r.trials_count, 1)), 24) AS share,
               CASE WHEN r.trust IN ('historical', 'uploaded') THEN r.trust ELSE 'log_verified' END AS sums_trust
        FROM unnest(counted) r WHERE r.is_ranked
    ), figures AS (
        SELECT workload_id, configuration, sums_trust, '' AS kind, submissions_totals_log(throughput_ops_s) AS x, share
        FROM runs
        UNION ALL
        SELECT workload_id, configuration, sums_trust, latency_kind, submissions_totals_log(latency_p99_ms), share
        FROM runs WHERE latency_p99_ms > 0
    ), gone AS MATERIALIZED (
        SELECT workload_id, configuration, sums_trust AS trust, kind, count(*)::integer AS n, sum(x) AS total,
               sum(x * x) AS squares, sum(share) AS share
        FROM figures GROUP BY 1, 2, 3, 4
    ), before AS MATERIALIZED (
        SELECT c.workload_id, c.configuration, c.trust, c.kind, c.n, c.total, c.squares, c.share
        FROM (SELECT DISTINCT workload_id, configuration FROM gone) a
        JOIN submissions_configurationtotals c USING (workload_id, configuration)
    ), less AS (
        UPDATE submissions_configurationtotals t SET
            n = t.n - gone.n, total = t.total - gone.total, squares = t.squares - gone.squares,
            share = t.share - gone.share
        FROM gone
        WHERE (t.workload_id, t.configuration, t.trust, t.kind)
            = (gone.workload_id, gone.configuration, gone.trust, gone.kind)
    ), parts AS (
        SELECT -1 AS sign, b.* FROM before b
        UNION ALL SELECT 1, b.* FROM before b
        UNION ALL SELECT 1, workload_id, configuration, trust, kind, -n, -total, -squares, -share FROM gone
    ), of_configurations AS (
        SELECT p.sign, p.workload_id, s.shelf, p.kind, p.configuration, sum(p.n)::integer AS n, sum(p.total) AS total,
               sum(p.squares) AS squares, sum(p.share) AS share
        FROM parts p
        JOIN (VALUES ('log_verified', 'log_verified'), ('uploaded', 'log_verified'), ('uploaded', 'uploaded'),
                     ('historical', 'historical')) AS s(shelf, trust) USING (trust)
        GROUP BY 1, 2, 3, 4, 5 HAVING sum(p.n) > 0
    ), of_one AS (  -- as in submissions_totals_of_trials
        SELECT r.workload_id, r.trust, f.kind, (count(*) - 1)::integer AS freedom,
               round(sum(f.x * f.x) - sum(f.x) * sum(f.x) / count(*), 24) AS square
        FROM runs r
        JOIN submissions_trial t ON t.submission_id = r.id AND t.is_at_peak
        CROSS JOIN LATERAL (
            SELECT '' AS kind, submissions_totals_log(t.throughput_ops_s) AS x WHERE t.throughput_ops_s > 0
            UNION ALL
            SELECT t.latency_kind::text, submissions_totals_log(t.latency_p99_ms) WHERE t.latency_p99_ms > 0
        ) f
        WHERE r.trials_count > 1 AND r.averaged_over IS NULL
        GROUP BY 1, 2, 3, r.id HAVING count(*) > 1
    ), sums AS (
        SELECT workload_id, shelf, kind, CASE WHEN kind = '' THEN sign ELSE 0 END AS configurations,
               sign * (n - 1) AS freedom, sign * round(squares - total * total / n, 24) AS square,
               sign * round((n - 1) * share / n, 24) AS trials_share, 0 AS trial_freedom, 0::numeric AS trial_square
        FROM of_configurations
        UNION ALL
        SELECT o.workload_id, s.shelf, o.kind, 0, 0, 0, 0, -o.freedom, -o.square
        FROM of_one o
        CROSS JOIN LATERAL (
            SELECT 'historical' AS shelf WHERE o.trust = 'historical'
            UNION ALL SELECT 'uploaded' WHERE o.trust <> 'historical'
            UNION ALL SELECT 'log_verified' WHERE o.trust NOT IN ('historical', 'uploaded')
        ) s
    )
    UPDATE submissions_noisetotals t SET
        configurations = t.configurations + gone.configurations,
        freedom = t.freedom + gone.freedom,
        square = t.square + gone.square,
        trials_share = t.trials_share + gone.trials_share,
        trial_freedom = t.trial_freedom + gone.trial_freedom,
        trial_square = t.trial_square + gone.trial_square
    FROM (
        SELECT workload_id, shelf, kind, sum(configurations) AS configurations, sum(freedom) AS freedom,
               sum(square) AS square, sum(trials_share) AS trials_share, sum(trial_freedom) AS trial_freedom,
               sum(trial_square) AS trial_square
        FROM sums GROUP BY 1, 2, 3
    ) gone
    WHERE (t.workload_id, t.shelf, t.kind) = (gone.workload_id, gone.shelf, gone.kind);

    UPDATE submissions_workloadtotals t SET
        published = t.published - gone.published,
        proven = t.proven - gone.proven,
        priced_historical = t.priced_historical - gone.priced_historical,
        priced_uploaded = t.priced_uploaded - gone.priced_uploaded,
        priced_log_verified = t.priced_log_verified - gone.priced_log_verified,
        priced_run_by_owner = t.priced_run_by_owner - gone.priced_run_by_owner,
        priced_run_by_us = t.priced_run_by_us - gone.priced_run_by_us,
        priced_reproduced = t.priced_reproduced - gone.priced_reproduced
    FROM (
        SELECT r.workload_id,
            count(*) FILTER (WHERE r.is_published) AS published,
            count(*) FILTER (WHERE r.is_ranked AND r.trust NOT IN ('historical', 'uploaded')) AS proven,
            count(*) FILTER (WHERE r.is_priced AND r.trust = 'historical') AS priced_historical,
            count(*) FILTER (WHERE r.is_priced AND r.trust = 'uploaded') AS priced_uploaded,
            count(*) FILTER (WHERE r.is_priced AND r.trust = 'log_verified') AS priced_log_verified,
            count(*) FILTER (WHERE r.is_priced AND r.trust = 'run_by_owner') AS priced_run_by_owner,
            count(*) FILTER (WHERE r.is_priced AND r.trust = 'run_by_us') AS priced_run_by_us,
            count(*) FILTER (WHERE r.is_priced AND r.trust = 'reproduced') AS priced_reproduced
        FROM unnest(counted) r GROUP BY 1
    ) gone
    WHERE t.workload_id = gone.workload_id;

    RETURN QUERY
    WITH gone AS (
        SELECT r.workload_id, g.by, g.key, r.trust, count(*)::integer AS published,
            count(*) FILTER (WHERE r.is_ranked)::integer AS ranked,
            max(ARRAY[r.throughput_ops_s, r.id]) FILTER (WHERE r.is_ranked) AS best_rate,
            count(*) FILTER (WHERE r.is_priced)::integer AS priced,
            max(ARRAY[r.ops_per_usd, r.id]) FILTER (WHERE r.is_priced) AS best_value,
            min(r.ops_per_usd) FILTER (WHERE r.is_priced) AS worst_value,
            count(*) FILTER (WHERE r.is_ranked AND r.latency_p99_ms > 0
                             AND r.latency_kind = 'service_time')::integer AS service_time,
            max(ARRAY[-r.latency_p99_ms, r.id]) FILTER (
                WHERE r.is_ranked AND r.latency_p99_ms > 0 AND r.latency_kind = 'service_time') AS best_service_time,
            count(*) FILTER (WHERE r.is_ranked AND r.latency_p99_ms > 0
                             AND r.latency_kind = 'response_time')::integer AS response_time,
            max(ARRAY[-r.latency_p99_ms, r.id]) FILTER (
                WHERE r.is_ranked AND r.latency_p99_ms > 0 AND r.latency_kind = 'response_time') AS best_response_time
        FROM unnest(counted) r
        CROSS JOIN LATERAL (VALUES
            ('provider', r.provider),
            ('instance_type', r.provider || E'\x1f' || r.instance_type),
            ('jdk', coalesce(r.jdk_vendor, E'\x1e') || E'\x1f' || coalesce(r.jdk_version, E'\x1e')),
            ('disk', coalesce(r.disk_kind, E'\x1e'))
        ) AS g(by, key)
        WHERE r.is_published
        GROUP BY 1, 2, 3, 4
    ), less AS (
        UPDATE submissions_grouptotals t SET
            published = t.published - gone.published,
            ranked = t.ranked - gone.ranked,
            priced = t.priced - gone.priced,
            service_time = t.service_time - gone.service_time,
            response_time = t.response_time - gone.response_time,
            -- the best of the others is looked up; of several that are gone the best one decides
            best_rate = CASE WHEN gone.best_rate >= t.best_rate THEN NULL ELSE t.best_rate END,
            best_value = CASE WHEN gone.best_value >= t.best_value THEN NULL ELSE t.best_value END,
            worst_value = CASE WHEN gone.worst_value <= t.worst_value THEN NULL ELSE t.worst_value END,
            best_service_time =
                CASE WHEN gone.best_service_time >= t.best_service_time THEN NULL ELSE t.best_service_time END,
            best_response_time =
                CASE WHEN gone.best_response_time >= t.best_response_time THEN NULL ELSE t.best_response_time END
        FROM gone
        WHERE (t.workload_id, t.by, t.key, t.trust) = (gone.workload_id, gone.by, gone.key, gone.trust)
        RETURNING t.workload_id, t.by::text, t.key::text, t.trust::text,
            t.best_rate IS NULL AND t.ranked > 0 AS rate,
            t.best_value IS NULL AND t.priced > 0 AS value,
            t.worst_value IS NULL AND t.priced > 0 AS worst,
            t.best_service_time IS NULL AND t.service_time > 0 AS service_time,
            t.best_response_time IS NULL AND t.response_time > 0 AS response_time
    )
    SELECT * FROM less l WHERE l.rate OR l.value OR l.worst OR l.service_time OR l.response_time;
END $$;

-- The bests of a group, from the rows of its workload in the order of an index; the totals are locked.
CREATE FUNCTION submissions_totals_look_up(
    of_workload bigint, grouped_by text, value text, level text, moment timestamptz,
    rate boolean, best boolean, worst boolean, service_time boolean, response_time boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    own constant text := format(
        ' FROM submissions_totals_rows(%L::timestamptz) r WHERE r.workload_id = %s AND r.trust = %L AND ',
        moment, of_workload, level
    ) || CASE grouped_by
        WHEN 'provider' THEN format('r.provider = %L', value)
        WHEN 'instance_type' THEN format('r.provider = %L AND r.instance_type = %L',
            split_part(value, E'\x1f', 1), substr(value, strpos(value, E'\x1f') + 1))
        WHEN 'jdk' THEN format('r.jdk_vendor IS NOT DISTINCT FROM %L AND r.jdk_version IS NOT DISTINCT FROM %L',
            nullif(split_part(value, E'\x1f', 1), E'\x1e'),
            nullif(substr(value, strpos(value, E'\x1f') + 1), E'\x1e'))
        WHEN 'disk' THEN format('r.disk_kind IS NOT DISTINCT FROM %L', nullif(value, E'\x1e'))
    END;
    -- sorted: the index of p99 alone is of all workloads
    of_kind constant text := ' AND r.is_ranked AND r.latency_p99_ms > 0 AND r.latency_kind = %L'
        ' ORDER BY -r.latency_p99_ms DESC, r.id DESC LIMIT 1';
    first_rate float8[];
    first_value numeric[];
    last_value numeric;
    first_service_time float8[];
    first_response_time float8[];
BEGIN
    IF rate THEN
        EXECUTE 'SELECT ARRAY[r.throughput_ops_s, r.id]' || own || ' AND r.is_ranked'
            ' ORDER BY r.throughput_ops_s DESC NULLS LAST, r.id DESC LIMIT 1' INTO first_rate;
    END IF;
    IF best THEN
        EXECUTE 'SELECT ARRAY[r.ops_per_usd, r.id]' || own || ' AND r.is_priced'
            ' ORDER BY r.ops_per_usd DESC NULLS LAST, r.id DESC LIMIT 1' INTO first_value;
    END IF;
    IF worst THEN
        EXECUTE 'SELECT r.ops_per_usd' || own || ' AND r.is_priced AND r.ops_per_usd IS NOT NULL'
            ' ORDER BY r.ops_per_usd NULLS FIRST, r.id LIMIT 1' INTO last_value;
    END IF;
    IF service_time THEN
        EXECUTE 'SELECT ARRAY[-r.latency_p99_ms, r.id]' || own || format(of_kind, 'service_time')
        INTO first_service_time;
    END IF;
    IF response_time THEN
        EXECUTE 'SELECT ARRAY[-r.latency_p99_ms, r.id]' || own || format(of_kind, 'response_time')
        INTO first_response_time;
    END IF;
    UPDATE submissions_grouptotals t SET
        best_rate = CASE WHEN rate THEN first_rate ELSE t.best_rate END,
        best_value = CASE WHEN best THEN first_value ELSE t.best_value END,
        worst_value = CASE WHEN worst THEN last_value ELSE t.worst_value END,
        best_service_time = CASE WHEN submissions_totals_look_up.service_time THEN first_service_time
            ELSE t.best_service_time END,
        best_response_time = CASE WHEN submissions_totals_look_up.response_time THEN first_response_time
            ELSE t.best_response_time END
    WHERE t.workload_id = of_workload AND t.by = grouped_by AND t.key = value
    AND t.trust = level;
END $$;

-- Of one workload, which is locked: takes out what was counted, and adds submissions.
CREATE FUNCTION submissions_totals_revise(
    workload bigint, counted submissions_totals_counted[], submissions bigint[], moment timestamptz
) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    newest_gone boolean;
    time_gone boolean;
    first timestamptz := (SELECT t.valid_until FROM submissions_workloadtotals t WHERE t.workload_id = workload);
    groups submissions_totals_group[];
BEGIN
    SELECT bool_or(k.is_published AND k.measured_at >= t.newest), bool_or(k.changes_at IS NOT NULL)
    INTO newest_gone, time_gone
    FROM unnest(counted) k JOIN submissions_workloadtotals t ON t.workload_id = k.workload_id;
    groups := array(SELECT submissions_totals_remove(counted));
    DELETE FROM submissions_configurationtotals t
    WHERE t.workload_id = workload AND t.configuration IN (SELECT k.configuration FROM unnest(counted) k) AND t.n = 0;
    IF newest_gone THEN
        UPDATE submissions_workloadtotals t SET newest = (
            SELECT r.measured_at FROM submissions_totals_rows(moment) r
            WHERE r.workload_id = workload AND r.is_published AND r.measured_at IS NOT NULL
            ORDER BY r.measured_at DESC NULLS LAST LIMIT 1
        ) WHERE t.workload_id = workload;
    END IF;
    IF submissions <> '{}' THEN
        PERFORM submissions_totals_add(submissions, moment);
    END IF;
    PERFORM submissions_totals_look_up(
        workload, g.by, g.key, g.trust, moment, g.rate, g.value, g.worst, g.service_time, g.response_time
    ) FROM unnest(groups) g;

    DELETE FROM submissions_traittotals t WHERE t.workload_id = workload AND t.n = 0;
    DELETE FROM submissions_grouptotals t WHERE t.workload_id = workload AND t.published = 0;
    -- the last digit of a sum can be left
    UPDATE submissions_noisetotals t SET
        square = CASE WHEN t.freedom = 0 THEN 0 ELSE t.square END,
        trials_share = CASE WHEN t.freedom = 0 THEN 0 ELSE t.trials_share END,
        trial_square = CASE WHEN t.trial_freedom = 0 THEN 0 ELSE t.trial_square END
    WHERE t.workload_id = workload AND (t.freedom = 0 OR t.trial_freedom = 0);
    DELETE FROM submissions_noisetotals t
    WHERE t.workload_id = workload AND (t.configurations, t.freedom, t.trial_freedom) = (0, 0, 0);

    UPDATE submissions_workloadtotals t SET
        recounts = t.recounts + 1,
        valued = t.priced_log_verified + t.priced_run_by_owner + t.priced_run_by_us + t.priced_reproduced
            + CASE WHEN t.proven = 0 THEN t.priced_historical ELSE 0 END,
        providers = of_groups.providers,
        instance_types = of_groups.instance_types,
        machine_types = CASE WHEN t.proven > 0 THEN of_groups.with_log ELSE of_groups.historical END
    FROM (
        SELECT count(DISTINCT g.key) FILTER (WHERE g.by = 'provider') AS providers,
            count(DISTINCT split_part(g.key, E'\x1f', 2)) FILTER (WHERE g.by = 'instance_type') AS instance_types,
            count(DISTINCT g.key) FILTER (WHERE g.by = 'instance_type' AND g.priced > 0
                                          AND g.trust NOT IN ('historical', 'uploaded')) AS with_log,
            count(DISTINCT g.key) FILTER (WHERE g.by = 'instance_type' AND g.priced > 0
                                          AND g.trust = 'historical') AS historical
        FROM submissions_grouptotals g
        WHERE g.workload_id = workload AND g.by IN ('provider', 'instance_type')
    ) of_groups
    WHERE t.workload_id = workload;
    IF time_gone OR first <= moment THEN
        UPDATE submissions_workloadtotals t SET valid_until = least(
            (SELECT min(s.embargo_until) FROM submissions_submission s
             WHERE s.workload_id = workload AND s.embargo_until > moment),
            (SELECT min(s.unranked_until) FROM submissions_submission s
             WHERE s.workload_id = workload AND s.unranked_until > moment),
            (SELECT min(n.embargo_until) FROM submissions_submission n
             JOIN submissions_submission s ON s.id = n.supersedes_id
             WHERE s.workload_id = workload AND n.embargo_until > moment)
        ) WHERE t.workload_id = workload;
    END IF;
END $$;

-- Takes the locks of workloads, in order; they last until the transaction ends. Returns the first time that ends the
-- truth of their totals.
DROP FUNCTION submissions_totals_lock;
CREATE FUNCTION submissions_totals_lock(workloads bigint[]) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    first timestamptz;
BEGIN
    IF cardinality(workloads) = 1 THEN
        SELECT t.valid_until INTO first FROM submissions_workloadtotals t WHERE t.workload_id = workloads[1] FOR UPDATE;
        IF FOUND THEN
            RETURN nullif(first, 'epoch');
        END IF;
    END IF;
    INSERT INTO submissions_workloadtotals (workload_id)
    SELECT w.id FROM submissions_workload w WHERE w.id = ANY (workloads) ORDER BY w.id ON CONFLICT DO NOTHING;
    SELECT min(own.valid_until) INTO first FROM (
        SELECT nullif(t.valid_until, 'epoch') AS valid_until FROM submissions_workloadtotals t
        WHERE t.workload_id = ANY (workloads) ORDER BY t.workload_id FOR UPDATE
    ) own;
    RETURN first;
END $$;

-- When the transaction commits: what it noted is counted, and the notes are gone.
CREATE OR REPLACE FUNCTION submissions_totals_settle() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off AS $$  -- a plan may be made while a table is small, and is used as it grows
DECLARE
    new_rows bigint[];
    of_new bigint[];
    again bigint[];
    revised submissions_totals_counted[];
    of_revised bigint[] := '{}';
    one bigint;
    first timestamptz;
BEGIN
    WITH notes AS (
        DELETE FROM submissions_totalschange c WHERE c.transaction = pg_current_xact_id() RETURNING c.*
    )
    SELECT array(SELECT unnest(added) FROM notes),
           array(SELECT unnest(changed) FROM notes UNION
                 SELECT s.workload_id FROM submissions_submission s
                 WHERE s.id IN (SELECT unnest(touched) FROM notes EXCEPT SELECT unnest(added) FROM notes)),
           array(SELECT k FROM notes CROSS JOIN unnest(notes.counted) k)
    INTO new_rows, again, revised;
    IF new_rows = '{}' AND again = '{}' AND cardinality(revised) = 0 THEN
        RETURN NULL;  -- an earlier note of this transaction has settled this one
    END IF;
    IF cardinality(revised) > 0 THEN
        -- a new row that was changed again was not counted yet
        revised := array(SELECT k FROM unnest(revised) k WHERE k.id <> ALL (new_rows));
        of_revised := array(
            SELECT k.workload_id FROM unnest(revised) k UNION
            SELECT s.workload_id FROM submissions_submission s WHERE s.id IN (SELECT k.id FROM unnest(revised) k)
        );
        PERFORM set_config('submissions.totals_noted', '', true);
    END IF;
    SELECT array_agg(s.id), array_agg(DISTINCT s.workload_id) INTO new_rows, of_new
    FROM submissions_submission s WHERE s.id = ANY (new_rows) AND s.workload_id <> ALL (again);
    first := submissions_totals_lock(of_new || again || of_revised);
    IF of_revised <> '{}' THEN
        -- somebody else has revised them since the note, or they are to be counted again
        again := array(
            SELECT unnest(again) UNION
            SELECT k.workload_id FROM unnest(revised) k JOIN submissions_workloadtotals t USING (workload_id)
            WHERE t.recounts IS DISTINCT FROM k.recounts OR t.valid_until = 'epoch'
        );
        SELECT array_agg(s.id), array_agg(DISTINCT s.workload_id) INTO new_rows, of_new
        FROM submissions_submission s WHERE s.id = ANY (new_rows) AND s.workload_id <> ALL (again);
    END IF;
    IF new_rows IS NULL THEN
        NULL;
    ELSIF first <= clock_timestamp() THEN
        PERFORM submissions_totals_add(own.ids, submissions_totals_moment(t.valid_until))
        FROM (
            SELECT s.workload_id, array_agg(s.id) AS ids FROM submissions_submission s
            WHERE s.id = ANY (new_rows) GROUP BY 1
        ) own JOIN submissions_workloadtotals t USING (workload_id);
    ELSE
        PERFORM submissions_totals_add(new_rows, clock_timestamp());
    END IF;
    FOREACH one IN ARRAY of_revised LOOP
        IF one <> ALL (again) THEN
            PERFORM submissions_totals_revise(
                one,
                array(SELECT k FROM unnest(revised) k WHERE k.workload_id = one),
                array(SELECT s.id FROM submissions_submission s
                      WHERE s.id IN (SELECT k.id FROM unnest(revised) k) AND s.workload_id = one),
                submissions_totals_moment(t.valid_until)
            ) FROM submissions_workloadtotals t WHERE t.workload_id = one;
        END IF;
    END LOOP;
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

-- Of a workload what a passed time has changed: embargoes and waits that have ended since its totals were true.
CREATE FUNCTION submissions_totals_expire(workload bigint) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    first timestamptz := submissions_totals_lock(ARRAY[workload]);
    moment constant timestamptz := clock_timestamp();
    ended bigint[];
BEGIN
    IF first > moment OR NOT EXISTS (
        SELECT FROM submissions_workloadtotals t WHERE t.workload_id = workload AND t.valid_until <= moment
    ) THEN
        RETURN;  -- somebody else was here
    END IF;
    ended := array(
        SELECT s.id FROM submissions_submission s
        WHERE s.embargo_until >= first AND s.embargo_until <= moment AND s.workload_id = workload
        UNION
        SELECT s.id FROM submissions_submission s
        WHERE s.unranked_until >= first AND s.unranked_until <= moment AND s.workload_id = workload
        UNION
        SELECT s.id FROM submissions_submission n JOIN submissions_submission s ON s.id = n.supersedes_id
        WHERE n.embargo_until >= first AND n.embargo_until <= moment AND s.workload_id = workload
    );
    IF first IS NULL OR cardinality(ended) > 500 THEN
        PERFORM submissions_totals_recount(ARRAY[workload]);
    ELSE
        PERFORM submissions_totals_revise(
            workload,
            array(SELECT k FROM submissions_totals_seen(ended, first - interval '1 microsecond') k),
            ended, moment
        );
    END IF;
END $$;

-- A new row that supersedes another: that one is noted before. Beyond what is noted its workload is.
CREATE OR REPLACE FUNCTION submissions_totals_note_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('submissions.parts_of_new', '', true);
    INSERT INTO submissions_totalschange (added, changed)
    SELECT array_agg(n.id), array(
        SELECT s.workload_id FROM submissions_submission s
        WHERE s.id IN (SELECT m.supersedes_id FROM new_rows m WHERE m.supersedes_id IS NOT NULL)
        AND submissions_totals_are_many()
    )
    FROM new_rows n HAVING count(*) > 0;
    RETURN NULL;
END $$;

-- Rows that were not noted one by one: their workloads are counted again.
CREATE OR REPLACE FUNCTION submissions_totals_note_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    workloads bigint[];
BEGIN
    IF NOT submissions_totals_are_many() THEN
        RETURN NULL;
    END IF;
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
