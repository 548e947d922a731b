-- A deleted submission is not found any more.
CREATE OR REPLACE FUNCTION submissions_search_forget()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
BEGIN
    DELETE FROM submissions_searchentry WHERE submission_id = OLD.id;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER submissions_search_removed AFTER DELETE ON submissions_submission
    FOR EACH ROW
    EXECUTE FUNCTION submissions_search_forget();
