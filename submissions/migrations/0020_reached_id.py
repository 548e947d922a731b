from django.db import migrations, models

# As in 0017_data_version.
_ANNOUNCED = 22085

# A standby knows neither locks nor sequences of the primary: it reads what the primary noted, which came to it after
# every row that the note counts.
DATA_STATE = f"""
CREATE OR REPLACE FUNCTION submissions_data_state(
  moment timestamptz DEFAULT statement_timestamp(),
  OUT data text, OUT prices text, OUT pages text, OUT reached bigint, OUT reached_at timestamptz, OUT above bigint
) LANGUAGE plpgsql AS $$
DECLARE
  complete bigint;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    above := 0;
  ELSIF pg_is_in_recovery() THEN
    SELECT noted.reached, noted.reached_at INTO reached, reached_at FROM submissions_reachedid noted WHERE id = 1;
    SELECT count(*) INTO above FROM submissions_submission WHERE id > reached;
  ELSE
    -- In this order: an id that was taken before its sequence was read had been announced before the locks are read.
    SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END INTO complete FROM submissions_submission_id_seq;
    SELECT least(min((classid::bigint << 32) + objid::bigint - ({_ANNOUNCED}::bigint << 48)), complete)
      INTO complete FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = {_ANNOUNCED} AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    SELECT id, created_at INTO reached, reached_at FROM submissions_submission
      WHERE id <= complete ORDER BY id DESC LIMIT 1;
    reached := coalesce(reached, 0);
    SELECT count(*) INTO above FROM submissions_submission WHERE id > reached;
  END IF;
  SELECT
    coalesce(string_agg(token::text, ' ' ORDER BY id) FILTER (WHERE subject = 'data'), ''),
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
END $$
"""


NOTE_REACHED = """
CREATE FUNCTION submissions_note_reached() RETURNS void LANGUAGE sql AS $$
  INSERT INTO submissions_reachedid AS noted (id, reached, reached_at)
  SELECT 1, reached, reached_at FROM submissions_data_state() WHERE reached IS NOT NULL
  ON CONFLICT (id) DO UPDATE SET reached = excluded.reached, reached_at = excluded.reached_at
  WHERE (noted.reached, noted.reached_at) IS DISTINCT FROM (excluded.reached, excluded.reached_at)
$$
"""

WITHOUT_REPLICAS = f"""
CREATE OR REPLACE FUNCTION submissions_data_state(
  moment timestamptz DEFAULT statement_timestamp(),
  OUT data text, OUT prices text, OUT pages text, OUT reached bigint, OUT reached_at timestamptz, OUT above bigint
) LANGUAGE plpgsql AS $$
DECLARE
  complete bigint;
BEGIN
  IF NOT pg_is_in_recovery() AND current_setting('transaction_isolation') = 'read committed' THEN
    -- In this order: an id that was taken before its sequence was read had been announced before the locks are read.
    SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END INTO complete FROM submissions_submission_id_seq;
    SELECT least(min((classid::bigint << 32) + objid::bigint - ({_ANNOUNCED}::bigint << 48)), complete)
      INTO complete FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = {_ANNOUNCED} AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    SELECT id, created_at INTO reached, reached_at FROM submissions_submission
      WHERE id <= complete ORDER BY id DESC LIMIT 1;
    reached := coalesce(reached, 0);
    SELECT count(*) INTO above FROM submissions_submission WHERE id > reached;
  ELSE
    above := 0;
  END IF;
  SELECT
    coalesce(string_agg(token::text, ' ' ORDER BY id) FILTER (WHERE subject = 'data'), ''),
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
END $$
"""



class Migration(migrations.Migration):
    dependencies = [("submissions", "0019_totals_planned_once")]

    operations = [
        migrations.CreateModel(
            name="ReachedId",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reached", models.BigIntegerField()),
                ("reached_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.RunSQL(DATA_STATE, WITHOUT_REPLICAS),
        migrations.RunSQL(NOTE_REACHED, "DROP FUNCTION submissions_note_reached()"),
    ]
