"""The totals by triggers go: what they counted is counted by `submissions.aggregates`."""

from django.db import migrations

_DROP = """
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT tgname, tgrelid::regclass AS of_table FROM pg_trigger
               WHERE NOT tgisinternal AND tgname LIKE 'submissions_totals_%' LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', one.tgname, one.of_table);
    END LOOP;
    FOR one IN SELECT oid::regprocedure AS name FROM pg_proc
               WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'submissions_totals_%' LOOP
        EXECUTE format('DROP FUNCTION %s CASCADE', one.name);
    END LOOP;
END
$$;
DROP TABLE submissions_totalschange;
DROP TYPE submissions_totals_counted, submissions_totals_group;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0062_without_tallies"),
    ]

    operations = [
        migrations.RunSQL(_DROP),
        migrations.DeleteModel(name="ConfigurationTotals"),
        migrations.DeleteModel(name="GroupTotals"),
        migrations.DeleteModel(name="NoiseTotals"),
        migrations.DeleteModel(name="TraitTotals"),
        migrations.DeleteModel(name="WorkloadTotals"),
    ]
