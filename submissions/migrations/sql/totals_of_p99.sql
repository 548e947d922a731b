-- Totals count and order by the p99, or the bound that the slowest type of operation gives it. What they call
-- latency_p99_ms is latency_p99_at_most_ms; that of trials stays the one over all operations.

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
        s.jdk_version::text, s.disk_kind::text, s.trust::text, s.latency_kind::text, s.latency_p99_at_most_ms,
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

CREATE OR REPLACE TRIGGER submissions_totals_before_update BEFORE UPDATE ON submissions_submission
FOR EACH ROW WHEN (
    (OLD.workload_id, OLD.provider, OLD.instance_type, OLD.jdk_vendor, OLD.jdk_version, OLD.disk_kind,
     OLD.cache_node_count, OLD.trust, OLD.flags, OLD.latency_kind, OLD.latency_p99_at_most_ms, OLD.throughput_ops_s,
     OLD.ops_per_usd, OLD.measured_at, OLD.trials_count, OLD.averaged_over, OLD.visibility, OLD.embargo_until,
     OLD.retracted_at, OLD.hidden_at, OLD.unranked_at, OLD.unranked_until, OLD.supersedes_id,
     OLD.service_version, OLD.region, OLD.cpu_model, OLD.vcpus, OLD.node_count, OLD.client_count, OLD.network_kind,
     OLD.network_encryption, OLD.load_mode, OLD.threads, OLD.document)
    IS DISTINCT FROM
    (NEW.workload_id, NEW.provider, NEW.instance_type, NEW.jdk_vendor, NEW.jdk_version, NEW.disk_kind,
     NEW.cache_node_count, NEW.trust, NEW.flags, NEW.latency_kind, NEW.latency_p99_at_most_ms, NEW.throughput_ops_s,
     NEW.ops_per_usd, NEW.measured_at, NEW.trials_count, NEW.averaged_over, NEW.visibility, NEW.embargo_until,
     NEW.retracted_at, NEW.hidden_at, NEW.unranked_at, NEW.unranked_until, NEW.supersedes_id,
     NEW.service_version, NEW.region, NEW.cpu_model, NEW.vcpus, NEW.node_count, NEW.client_count, NEW.network_kind,
     NEW.network_encryption, NEW.load_mode, NEW.threads, NEW.document)
) EXECUTE FUNCTION submissions_totals_note_before();

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
               o.cache_node_count, o.trust, o.flags, o.latency_kind, o.latency_p99_at_most_ms, o.throughput_ops_s,
               o.ops_per_usd, o.measured_at, o.trials_count, o.averaged_over, o.visibility, o.embargo_until,
               o.retracted_at, o.hidden_at, o.unranked_at, o.unranked_until, o.supersedes_id)
        IS DISTINCT FROM
              (n.workload_id, n.configuration, n.provider, n.instance_type, n.jdk_vendor, n.jdk_version, n.disk_kind,
               n.cache_node_count, n.trust, n.flags, n.latency_kind, n.latency_p99_at_most_ms, n.throughput_ops_s,
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

-- The next `recount_totals` counts the workloads that have such a bound; their readers read the rows until then.
UPDATE submissions_workloadtotals t SET valid_until = 'epoch' WHERE EXISTS (
    SELECT FROM submissions_submission s
    WHERE s.workload_id = t.workload_id AND s.latency_p99_at_most_ms IS DISTINCT FROM s.latency_p99_ms
);
SELECT submissions_new_version('data') WHERE EXISTS (SELECT FROM submissions_submission);
