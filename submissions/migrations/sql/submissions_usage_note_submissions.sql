-- New and deleted submissions count.
CREATE OR REPLACE FUNCTION submissions_usage_note_submissions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM submissions_usage_add(added.account, added.bytes, added.results) FROM (
        SELECT s.submitted_by_id AS account,
            sum(submissions_document_bytes(s.document))::bigint AS bytes,
            count(*) FILTER (WHERE s.trust NOT IN ('run_by_us', 'run_by_owner')) AS results
        FROM new_rows s WHERE s.submitted_by_id IS NOT NULL GROUP BY 1 ORDER BY 1
    ) added;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER submissions_usage_added AFTER INSERT ON submissions_submission
    REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT
    EXECUTE FUNCTION submissions_usage_note_submissions();
