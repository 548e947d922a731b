-- Notes in the queue of `submissions.aggregates` that submissions were stored, and others superseded by them.
CREATE OR REPLACE FUNCTION submissions_queue_new(submissions bigint[], superseded bigint[])
RETURNS void LANGUAGE sql AS $$
    INSERT INTO submissions_queuedchange (workload_id, submission_id, is_new)
    SELECT workload_id, id, true FROM submissions_submission WHERE id = ANY (submissions);
    SELECT submissions_queue_changes(array_remove(superseded, NULL));
$$;
