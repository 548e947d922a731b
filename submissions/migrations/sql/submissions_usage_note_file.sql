-- A changed file counts with its new size.
CREATE OR REPLACE FUNCTION submissions_usage_note_file()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM submissions_usage_subtract(s.submitted_by_id, OLD.size_bytes, OLD.created_at)
    FROM submissions_submission s WHERE s.id = OLD.submission_id AND s.submitted_by_id IS NOT NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER submissions_usage_changed AFTER UPDATE OF removed_at ON submissions_artifact
    FOR EACH ROW
    WHEN (((old.removed_at IS NULL) AND (new.removed_at IS NOT NULL)))
    EXECUTE FUNCTION submissions_usage_note_file();

CREATE OR REPLACE TRIGGER submissions_usage_removed AFTER DELETE ON submissions_artifact
    FOR EACH ROW
    WHEN ((old.removed_at IS NULL))
    EXECUTE FUNCTION submissions_usage_note_file();
