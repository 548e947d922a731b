-- Starts a version of a subject: writes a random token into a row that no other open transaction has written.
CREATE OR REPLACE FUNCTION submissions_new_version(wanted text)
 RETURNS void
 LANGUAGE plpgsql
AS $$
DECLARE
    done text := 'submissions.version_of_' || wanted;
BEGIN
    IF current_setting(done, true) = statement_timestamp()::text THEN
        RETURN;
    END IF;
    UPDATE submissions_dataversion SET token = gen_random_uuid() WHERE id = (
        SELECT id FROM submissions_dataversion WHERE subject = wanted LIMIT 1 FOR UPDATE SKIP LOCKED
    );
    IF NOT FOUND THEN
        INSERT INTO submissions_dataversion (subject, token) VALUES (wanted, gen_random_uuid());
    END IF;
    PERFORM set_config(done, statement_timestamp()::text, true);
END $$;
