-- The versions of the subjects of submissions/models/versions/data_version.py at a moment. In an open transaction that has written
-- something they are its own. The ends of embargoes and waits are part of the version of the data.
CREATE OR REPLACE FUNCTION submissions_data_state(moment timestamp with time zone DEFAULT statement_timestamp(), OUT data text, OUT prices text, OUT pages text)
 RETURNS record
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $$
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
