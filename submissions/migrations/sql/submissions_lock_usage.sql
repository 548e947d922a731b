-- Uploads of an account wait for each other from here to the end of the transaction: together they never pass a limit.
CREATE OR REPLACE FUNCTION submissions_lock_usage(of_account integer)
 RETURNS void
 LANGUAGE sql
AS $$
    SELECT pg_advisory_xact_lock(20821, of_account)  -- "QU": locks of two numbers are others than those of one
$$;
