-- Takes back what was deleted: from the span in which it was stored, too.
CREATE OR REPLACE FUNCTION submissions_usage_subtract(of_account integer, gone_bytes bigint, stored_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM submissions_lock_usage(of_account);
    UPDATE submissions_accountusage u SET bytes = greatest(u.bytes - gone_bytes, 0)
    WHERE u.account_id = of_account AND u.since >= submissions_usage_span(stored_at);
END $$;
