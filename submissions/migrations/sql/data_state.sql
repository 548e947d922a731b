-- The versions of what is stored, at a moment: models/data_version.py. `data` ends with the last time at which time alone
-- changed something, and with the open transaction that has written. On the primary figures are counted when they are
-- read; a replica has them some time after the rows.
CREATE FUNCTION submissions_data_state(
    moment timestamptz DEFAULT statement_timestamp(), OUT data text, OUT prices text, OUT pages text
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    SELECT
        coalesce(string_agg(token::text, ' ' ORDER BY id)
                 FILTER (WHERE subject = 'data' OR subject = 'figures' AND pg_is_in_recovery()), ''),
        coalesce(string_agg(token::text, ' ' ORDER BY id) FILTER (WHERE subject = 'prices'), ''),
        coalesce(string_agg(token::text, ' ' ORDER BY id) FILTER (WHERE subject = 'pages'), '')
    INTO data, prices, pages FROM submissions_dataversion;
    data := concat_ws(' ', data, 'since ' || greatest(
        (SELECT embargo_until FROM submissions_submission
         WHERE embargo_until <= moment ORDER BY embargo_until DESC LIMIT 1),
        (SELECT unranked_until FROM submissions_submission
         WHERE unranked_until <= moment ORDER BY unranked_until DESC LIMIT 1),
        (SELECT published_at FROM submissions_submission
         WHERE published_at > created_at AND published_at <= moment ORDER BY published_at DESC LIMIT 1)
    ), 'in ' || pg_current_xact_id_if_assigned());
END $$;
