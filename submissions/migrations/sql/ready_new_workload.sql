-- Whether a submission can be written as it was prepared: submissions/ingest/at_once.py. A row if it can, else none.
--
-- Locks its content as submissions_before does; the statement after the locks sees what was committed before them. What
-- the web process believes is true: the token (null: of no token), the version of the prices (null: it is not known),
-- and of a newcomer the version of `rights` at which it was seen whether the account moderates. Nobody has sent the
-- content. A workload that is not known is written. How long a newcomer waits: ingest/newcomers.py
CREATE FUNCTION submissions_ready(
    key bigint, hash text, workload text, account bigint, digest text, prices uuid[], rights uuid[], moderates boolean,
    wait interval, new_canonical jsonb, new_title text, new_service text,
    OUT workload_id bigint, OUT title text, OUT service text, OUT username text, OUT unranked_until timestamptz
) RETURNS SETOF record LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off AS $$  -- an account with most of all submissions has some at the beginning of the table, or none
#variable_conflict use_column
BEGIN
    PERFORM submissions_hold_ids();
    PERFORM pg_advisory_xact_lock(key);
    SELECT w.id, w.title, w.service, u.username,
        CASE WHEN NOT (u.is_staff OR coalesce(moderates, false))
             THEN CASE WHEN of_account.is_first THEN statement_timestamp() + wait ELSE of_account.waits END
        END
    INTO submissions_ready.workload_id, submissions_ready.title, submissions_ready.service,
         submissions_ready.username, submissions_ready.unranked_until
    FROM auth_user u LEFT JOIN submissions_workload w ON w.fingerprint = workload, LATERAL (SELECT
        -- fewer than newcomers.FIRST; a literal, by which it is planned
        3 > (SELECT count(*) FROM (SELECT FROM submissions_submission s WHERE s.submitted_by_id = u.id LIMIT 3) first)
            AS is_first,
        (SELECT s.unranked_until FROM submissions_submission s
         WHERE s.submitted_by_id = u.id AND s.unranked_until > statement_timestamp()
         ORDER BY s.unranked_until DESC LIMIT 1) AS waits
        OFFSET 0
    ) of_account
    WHERE u.id = account AND u.is_active
    AND NOT EXISTS (SELECT FROM submissions_submission s WHERE s.content_hash = hash)
    AND (prices IS NULL OR prices = array(
        SELECT v.token FROM submissions_dataversion v WHERE v.subject = 'prices' ORDER BY v.id
    ))
    AND (submissions_ready.digest IS NULL OR EXISTS (
        SELECT FROM submissions_apitoken t
        WHERE t.digest = submissions_ready.digest AND t.user_id = u.id AND t.scopes @> '{submit}'
    ) AND NOT EXISTS (
        -- also another of the account: it is to be deleted
        SELECT FROM submissions_apitoken t WHERE t.user_id = u.id AND t.expiry < statement_timestamp()
    ))
    AND (u.is_staff OR NOT of_account.is_first AND of_account.waits IS NULL OR rights = array(
        SELECT v.token FROM submissions_dataversion v WHERE v.subject = 'pages' ORDER BY v.id
    ));
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF submissions_ready.workload_id IS NULL THEN
        INSERT INTO submissions_workload AS w (
            fingerprint, former_fingerprints, canonical, title, service, created_at
        )
        VALUES (workload, '{}', new_canonical, new_title, new_service, statement_timestamp())
        ON CONFLICT (fingerprint) DO NOTHING
        RETURNING w.id, w.title, w.service
        INTO submissions_ready.workload_id, submissions_ready.title, submissions_ready.service;
        IF NOT FOUND THEN  -- another transaction has written it meanwhile
            SELECT w.id, w.title, w.service
            INTO STRICT submissions_ready.workload_id, submissions_ready.title, submissions_ready.service
            FROM submissions_workload w WHERE w.fingerprint = workload;
        END IF;
    END IF;
    RETURN NEXT;
END $$;
