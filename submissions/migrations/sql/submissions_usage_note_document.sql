-- A changed document counts with its new size.
CREATE OR REPLACE FUNCTION submissions_usage_note_document()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM submissions_usage_subtract(
            OLD.submitted_by_id, submissions_document_bytes(OLD.document), OLD.created_at
        );
    ELSE
        PERFORM submissions_usage_add(
            NEW.submitted_by_id,
            submissions_document_bytes(NEW.document) - submissions_document_bytes(OLD.document), 0
        );
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER submissions_usage_changed AFTER UPDATE OF document ON submissions_submission
    FOR EACH ROW
    WHEN (((new.submitted_by_id IS NOT NULL) AND (old.document IS DISTINCT FROM new.document)))
    EXECUTE FUNCTION submissions_usage_note_document();

CREATE OR REPLACE TRIGGER submissions_usage_removed AFTER DELETE ON submissions_submission
    FOR EACH ROW
    WHEN ((old.submitted_by_id IS NOT NULL))
    EXECUTE FUNCTION submissions_usage_note_document();
