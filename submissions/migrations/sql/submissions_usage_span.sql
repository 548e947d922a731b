-- The ten minutes of a moment.
CREATE OR REPLACE FUNCTION submissions_usage_span(moment timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $$
    SELECT date_bin('10 minutes', moment, 'epoch'::timestamptz)
$$;
