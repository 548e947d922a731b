-- Counts what an account has stored.
CREATE OR REPLACE FUNCTION submissions_usage_add(of_account integer, more_bytes bigint, more_results bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $$
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
