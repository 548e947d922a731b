-- What each account has stored, in bytes and in number: models/usage.py. Triggers add what is stored to the row of the
-- present ten minutes, which begins with what the row before it has.
--
-- Whoever asks whether more may be stored, and stores it, holds the lock of the account from before the question until
-- the end of its transaction: submissions_lock_usage. It is taken before the locks of contents, and by each trigger,
-- so that none waits for ever. What an account has stored: submissions_usage.sql.

CREATE FUNCTION submissions_usage_span(moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT date_bin('10 minutes', moment, 'epoch'::timestamptz)
$$;

CREATE FUNCTION submissions_lock_usage(of_account integer) RETURNS void LANGUAGE sql VOLATILE AS $$
    SELECT pg_advisory_xact_lock(20821, of_account)  -- "QU": locks of two numbers are others than those of one
$$;

CREATE FUNCTION submissions_usage_add(of_account integer, more_bytes bigint, more_results bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    span timestamptz;
    last submissions_accountusage;
BEGIN
    PERFORM submissions_lock_usage(of_account);
    span := submissions_usage_span(clock_timestamp());
    SELECT * INTO last FROM submissions_accountusage u WHERE u.account_id = of_account ORDER BY u.since DESC LIMIT 1;
    IF last.since >= span THEN
        UPDATE submissions_accountusage u SET bytes = u.bytes + more_bytes, results = u.results + more_results
        WHERE u.id = last.id;
        RETURN;
    END IF;
    INSERT INTO submissions_accountusage (account_id, since, bytes, results)
    VALUES (of_account, span, coalesce(last.bytes, 0) + more_bytes, coalesce(last.results, 0) + more_results);
    -- the last one before the day stays: the day is what has been added to it
    DELETE FROM submissions_accountusage u WHERE u.account_id = of_account AND u.since < (
        SELECT max(o.since) FROM submissions_accountusage o
        WHERE o.account_id = of_account AND o.since <= span - interval '24 hours 10 minutes'
    );
END $$;

-- What was stored at that time is no longer there.
CREATE FUNCTION submissions_usage_subtract(of_account integer, gone_bytes bigint, stored_at timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM submissions_lock_usage(of_account);
    UPDATE submissions_accountusage u SET bytes = greatest(u.bytes - gone_bytes, 0)
    WHERE u.account_id = of_account AND u.since >= submissions_usage_span(stored_at);
END $$;

CREATE FUNCTION submissions_document_bytes(document jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT octet_length(document::text)
$$;

CREATE FUNCTION submissions_usage_note_submissions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM submissions_usage_add(added.account, added.bytes, added.results) FROM (
        SELECT s.submitted_by_id AS account,
            sum(submissions_document_bytes(s.document))::bigint AS bytes,
            count(*) FILTER (WHERE s.trust NOT IN ('run_by_us', 'run_by_owner')) AS results
        FROM new_rows s WHERE s.submitted_by_id IS NOT NULL GROUP BY 1 ORDER BY 1
    ) added;
    RETURN NULL;
END $$;
CREATE FUNCTION submissions_usage_note_document() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION submissions_usage_note_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM submissions_usage_add(added.account, added.bytes, 0) FROM (
        SELECT s.submitted_by_id AS account, sum(f.size_bytes)::bigint AS bytes
        FROM new_rows f JOIN submissions_submission s ON s.id = f.submission_id
        WHERE s.submitted_by_id IS NOT NULL AND f.removed_at IS NULL GROUP BY 1 ORDER BY 1
    ) added;
    RETURN NULL;
END $$;
CREATE FUNCTION submissions_usage_note_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM submissions_usage_subtract(s.submitted_by_id, OLD.size_bytes, OLD.created_at)
    FROM submissions_submission s WHERE s.id = OLD.submission_id AND s.submitted_by_id IS NOT NULL;
    RETURN NULL;
END $$;

-- What was stored before counts in all, and for no day.
INSERT INTO submissions_accountusage (account_id, since, bytes, results)
SELECT account, 'epoch', sum(bytes), sum(results) FROM (
    SELECT s.submitted_by_id AS account, sum(submissions_document_bytes(s.document)) AS bytes, count(*) AS results
    FROM submissions_submission s WHERE s.submitted_by_id IS NOT NULL GROUP BY 1
    UNION ALL
    SELECT s.submitted_by_id, sum(f.size_bytes), 0
    FROM submissions_artifact f JOIN submissions_submission s ON s.id = f.submission_id
    WHERE s.submitted_by_id IS NOT NULL AND f.removed_at IS NULL GROUP BY 1
) stored GROUP BY account;

-- last: their locks hold up writers until the migration is over
CREATE TRIGGER submissions_usage_added AFTER INSERT ON submissions_submission
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION submissions_usage_note_submissions();
CREATE TRIGGER submissions_usage_changed AFTER UPDATE OF document ON submissions_submission
FOR EACH ROW WHEN (NEW.submitted_by_id IS NOT NULL AND OLD.document IS DISTINCT FROM NEW.document)
EXECUTE FUNCTION submissions_usage_note_document();
CREATE TRIGGER submissions_usage_removed AFTER DELETE ON submissions_submission
FOR EACH ROW WHEN (OLD.submitted_by_id IS NOT NULL) EXECUTE FUNCTION submissions_usage_note_document();
CREATE TRIGGER submissions_usage_added AFTER INSERT ON submissions_artifact
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION submissions_usage_note_files();
CREATE TRIGGER submissions_usage_changed AFTER UPDATE OF removed_at ON submissions_artifact
FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL)
EXECUTE FUNCTION submissions_usage_note_file();
CREATE TRIGGER submissions_usage_removed AFTER DELETE ON submissions_artifact
FOR EACH ROW WHEN (OLD.removed_at IS NULL) EXECUTE FUNCTION submissions_usage_note_file();
