-- Notes in the queue of `submissions.aggregates` that figures of these submissions are to be counted again, and those of
-- workloads that one of them has left.
CREATE OR REPLACE FUNCTION submissions_queue_changes(submissions bigint[], VARIADIC workloads bigint[] DEFAULT '{}')
RETURNS void LANGUAGE sql AS $$
    INSERT INTO submissions_queuedchange (workload_id, submission_id, is_new)
    SELECT workload_id, id, false FROM submissions_submission WHERE id = ANY (submissions)
    UNION ALL
    SELECT w, NULL, false FROM unnest(workloads) w
    WHERE NOT EXISTS (SELECT FROM submissions_submission s WHERE s.id = ANY (submissions) AND s.workload_id = w)
$$;
