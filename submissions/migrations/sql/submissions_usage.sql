-- What an account stores and has stored within a day, and what decides whether it is a newcomer.
CREATE OR REPLACE FUNCTION submissions_usage(of_account integer)
 RETURNS TABLE(account integer, total_bytes bigint, day_bytes bigint, day_results bigint, is_active boolean, is_staff boolean, first_results bigint, waiting_until timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $$  -- an account with most of all submissions has some at the beginning of the table, or none
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT
        of_account,
        (coalesce(last.bytes, 0) + waiting.total)::bigint,
        (greatest(coalesce(last.bytes, 0) - coalesce(before.bytes, 0), 0) + waiting.day)::bigint,
        greatest(coalesce(last.results, 0) - coalesce(before.results, 0), 0),
        coalesce(u.is_active, false),
        coalesce(u.is_staff, false),
        -- at most as many as quota.FIRST; a literal, by which it is planned
        (SELECT count(*) FROM (
            SELECT FROM submissions_submission s WHERE s.submitted_by_id = of_account LIMIT 3) first),
        (SELECT s.unranked_until FROM submissions_submission s
         WHERE s.submitted_by_id = of_account AND s.unranked_until > statement_timestamp()
         ORDER BY s.unranked_until DESC LIMIT 1)
    FROM (SELECT
        coalesce(sum((file->>'size_bytes')::bigint), 0) AS total,
        coalesce(sum((file->>'size_bytes')::bigint)
            FILTER (WHERE w.created_at > statement_timestamp() - interval '24 hours'), 0) AS day
        FROM submissions_upload w, jsonb_array_elements(w.files) file
        WHERE w.owner_id = of_account AND w.status <> 'done'
    ) waiting
    LEFT JOIN LATERAL (
        SELECT * FROM submissions_accountusage a WHERE a.account_id = of_account ORDER BY a.since DESC LIMIT 1
    ) last ON true
    LEFT JOIN LATERAL (
        SELECT * FROM submissions_accountusage a
        -- a span that was over a day ago
        WHERE a.account_id = of_account AND a.since <= statement_timestamp() - interval '24 hours 10 minutes'
        ORDER BY a.since DESC LIMIT 1
    ) before ON true
    LEFT JOIN auth_user u ON u.id = of_account;
END $$;
