-- New and deleted files count.
CREATE OR REPLACE FUNCTION submissions_usage_note_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM submissions_usage_add(added.account, added.bytes, 0) FROM (
        SELECT s.submitted_by_id AS account, sum(f.size_bytes)::bigint AS bytes
        FROM new_rows f JOIN submissions_submission s ON s.id = f.submission_id
        WHERE s.submitted_by_id IS NOT NULL AND f.removed_at IS NULL GROUP BY 1 ORDER BY 1
    ) added;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER submissions_usage_added AFTER INSERT ON submissions_artifact
    REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT
    EXECUTE FUNCTION submissions_usage_note_files();
