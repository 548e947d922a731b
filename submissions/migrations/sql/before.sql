-- What is known before submissions are written: submissions/ingest/before.py. One round trip, planned once a connection.
--
-- Each statement of a volatile PL/pgSQL function sees what was committed before it began: the second one sees what
-- another transaction stored while the first waited for its lock.
CREATE OR REPLACE FUNCTION submissions_before(keys bigint[], hashes text[], fingerprints text[], account bigint)
RETURNS TABLE (
    is_any_stored boolean, versions json, workloads json, is_active boolean, is_staff boolean, submissions bigint,
    waiting_until timestamptz
) LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan AS $$  -- planning takes longer than looking
#variable_conflict use_column
BEGIN
    -- Until the transaction ends, no other writes these contents; in one order, so that none waits for ever.
    PERFORM pg_advisory_xact_lock(k) FROM unnest(keys) AS k;
    -- The account as it is now: a large log takes a worker minutes. Its submissions end at the first rows of an index.
    RETURN QUERY SELECT
        EXISTS (SELECT FROM submissions_submission s WHERE s.content_hash = ANY (hashes)),
        (SELECT json_agg(json_build_array(v.subject, v.token) ORDER BY v.id) FROM submissions_dataversion v),
        (SELECT json_agg(json_build_array(w.id, w.fingerprint, w.title, w.service)) FROM submissions_workload w
         WHERE w.fingerprint = ANY (fingerprints)),
        u.is_active, u.is_staff,
        -- as many as newcomers.FIRST; a literal, by which it is planned
        (SELECT count(*) FROM (SELECT FROM submissions_submission s WHERE s.submitted_by_id = u.id LIMIT 3) first),
        (SELECT s.unranked_until FROM submissions_submission s
         WHERE s.submitted_by_id = u.id AND s.unranked_until > now() ORDER BY s.unranked_until DESC LIMIT 1)
    FROM (SELECT) LEFT JOIN auth_user u ON u.id = account;
END $$;
