-- Notes in the queue of `submissions.aggregates` that figures of these submissions are to be counted again. What a
-- transaction changes of its own new rows is counted with them.
CREATE OR REPLACE FUNCTION submissions_queue_changes(submissions bigint[], VARIADIC workloads bigint[] DEFAULT '{}')
RETURNS void LANGUAGE sql AS $$
    INSERT INTO submissions_queuedchange (workload_id, submission_id, is_new, transaction)
    SELECT s.workload_id, s.id, false, pg_current_xact_id()::text::bigint
    FROM submissions_submission s
    WHERE s.id = ANY (submissions) AND NOT EXISTS (
        SELECT FROM submissions_queuedchange q
        WHERE q.workload_id = s.workload_id AND q.submission_id = s.id AND q.is_new
            AND q.transaction = pg_current_xact_id()::text::bigint
    )
    UNION ALL
    -- one that a submission has left
    SELECT w, NULL, false, pg_current_xact_id()::text::bigint
    FROM unnest(workloads) w
    WHERE NOT EXISTS (SELECT FROM submissions_submission s WHERE s.id = ANY (submissions) AND s.workload_id = w)
$$;
