"""The one store of counted figures: its tables, and the triggers that fill its queue. All workloads are to be counted."""

from pathlib import Path

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


_SQL = Path(__file__).parent / "sql"
_QUEUE_ALL = """
INSERT INTO submissions_queuedchange (workload_id, is_new) SELECT id, false FROM submissions_workload
"""


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0056_credits'),
    ]

    operations = [
        migrations.CreateModel(
            name='Aggregate',
            fields=[
                ('workload', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='aggregates', to='submissions.workload')),
                ('pk', models.CompositePrimaryKey('workload_id', 'kind', blank=True, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=40)),
                ('state', models.TextField()),
                ('numbers', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                ('orders', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                ('labels', models.JSONField(default=list)),
            ],
        ),
        migrations.CreateModel(
            name='QueuedChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('workload_id', models.BigIntegerField()),
                ('submission_id', models.BigIntegerField(null=True)),
                ('is_new', models.BooleanField()),
            ],
        ),
        migrations.CreateModel(
            name='SiteCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('key', models.TextField()),
                ('n', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='WorkloadFigures',
            fields=[
                ('workload', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='figures', serialize=False, to='submissions.workload')),
                ('version', models.UUIDField()),
                ('code', models.CharField(max_length=12)),
                ('counted_at', models.DateTimeField()),
                ('valid_until', models.DateTimeField(null=True)),
                ('published', models.IntegerField(db_default=0)),
                ('providers', models.IntegerField(db_default=0)),
                ('instance_types', models.IntegerField(db_default=0)),
                ('newest', models.DateTimeField(null=True)),
                ('proven', models.IntegerField(db_default=0)),
                ('valued', models.IntegerField(db_default=0)),
                ('machine_types', models.IntegerField(db_default=0)),
                ('priced_historical', models.IntegerField(db_default=0)),
                ('priced_uploaded', models.IntegerField(db_default=0)),
                ('priced_log_verified', models.IntegerField(db_default=0)),
                ('priced_run_by_owner', models.IntegerField(db_default=0)),
                ('priced_run_by_us', models.IntegerField(db_default=0)),
                ('priced_reproduced', models.IntegerField(db_default=0)),
            ],
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='loadpoint',
            trigger=pgtrigger.compiler.Trigger(name='queue_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='PERFORM submissions_queue_changes(array_agg(DISTINCT submission_id)) FROM new_rows; RETURN NULL;', hash='544efb203955bd596cbf190c9bf6636419423620', level='STATEMENT', operation='INSERT', pgid='pgtrigger_queue_insert_1777d', referencing='REFERENCING NEW TABLE AS new_rows ', table='submissions_loadpoint', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='loadpoint',
            trigger=pgtrigger.compiler.Trigger(name='queue_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func='PERFORM submissions_queue_changes(ARRAY[OLD.submission_id, NEW.submission_id]); RETURN NULL;', hash='23ded3456745926e16aecf7bcf584914872c64b2', operation='UPDATE', pgid='pgtrigger_queue_update_23e5d', table='submissions_loadpoint', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='loadpoint',
            trigger=pgtrigger.compiler.Trigger(name='queue_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='PERFORM submissions_queue_changes(ARRAY[OLD.submission_id]); RETURN NULL;', hash='3848f2d6fa0c3b62d95506dd2c6a08f17f90e899', operation='DELETE', pgid='pgtrigger_queue_delete_697f7', table='submissions_loadpoint', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='nodegroup',
            trigger=pgtrigger.compiler.Trigger(name='queue_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='PERFORM submissions_queue_changes(array_agg(DISTINCT submission_id)) FROM new_rows; RETURN NULL;', hash='5c131be6a6ae762ee11081025d8c0787f3517402', level='STATEMENT', operation='INSERT', pgid='pgtrigger_queue_insert_e6fb2', referencing='REFERENCING NEW TABLE AS new_rows ', table='submissions_nodegroup', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='nodegroup',
            trigger=pgtrigger.compiler.Trigger(name='queue_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func='PERFORM submissions_queue_changes(ARRAY[OLD.submission_id, NEW.submission_id]); RETURN NULL;', hash='bf054a9392c9c6db70d000d955fa8e7c8985c9d8', operation='UPDATE', pgid='pgtrigger_queue_update_5905f', table='submissions_nodegroup', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='nodegroup',
            trigger=pgtrigger.compiler.Trigger(name='queue_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='PERFORM submissions_queue_changes(ARRAY[OLD.submission_id]); RETURN NULL;', hash='a5132ddf530a9a23c800ab440e75cbf64800107f', operation='DELETE', pgid='pgtrigger_queue_delete_a3b7d', table='submissions_nodegroup', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='submission',
            trigger=pgtrigger.compiler.Trigger(name='queue_new', sql=pgtrigger.compiler.UpsertTriggerSql(func='PERFORM submissions_queue_new(array_agg(id), array_agg(supersedes_id)) FROM new_rows; RETURN NULL;', hash='0d2349c91d0e44699de420b3fa3c6367ebd4792a', level='STATEMENT', operation='INSERT', pgid='pgtrigger_queue_new_b33e6', referencing='REFERENCING NEW TABLE AS new_rows ', table='submissions_submission', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='submission',
            trigger=pgtrigger.compiler.Trigger(name='queue_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."architecture" IS DISTINCT FROM (NEW."architecture") OR OLD."averaged_over" IS DISTINCT FROM (NEW."averaged_over") OR OLD."cache_node_count" IS DISTINCT FROM (NEW."cache_node_count") OR OLD."client_count" IS DISTINCT FROM (NEW."client_count") OR OLD."client_placement" IS DISTINCT FROM (NEW."client_placement") OR OLD."consistency_level" IS DISTINCT FROM (NEW."consistency_level") OR OLD."cpu_model" IS DISTINCT FROM (NEW."cpu_model") OR OLD."disk_kind" IS DISTINCT FROM (NEW."disk_kind") OR OLD."document" IS DISTINCT FROM (NEW."document") OR OLD."embargo_until" IS DISTINCT FROM (NEW."embargo_until") OR OLD."flags" IS DISTINCT FROM (NEW."flags") OR OLD."hidden_at" IS DISTINCT FROM (NEW."hidden_at") OR OLD."hourly_usd" IS DISTINCT FROM (NEW."hourly_usd") OR OLD."instance_type" IS DISTINCT FROM (NEW."instance_type") OR OLD."jdk_vendor" IS DISTINCT FROM (NEW."jdk_vendor") OR OLD."jdk_version" IS DISTINCT FROM (NEW."jdk_version") OR OLD."latency_kind" IS DISTINCT FROM (NEW."latency_kind") OR OLD."latency_mean_ms" IS DISTINCT FROM (NEW."latency_mean_ms") OR OLD."latency_p99_at_most_ms" IS DISTINCT FROM (NEW."latency_p99_at_most_ms") OR OLD."latency_p99_bound_of" IS DISTINCT FROM (NEW."latency_p99_bound_of") OR OLD."latency_p99_is_bound" IS DISTINCT FROM (NEW."latency_p99_is_bound") OR OLD."latency_p99_ms" IS DISTINCT FROM (NEW."latency_p99_ms") OR OLD."license" IS DISTINCT FROM (NEW."license") OR OLD."load_mode" IS DISTINCT FROM (NEW."load_mode") OR OLD."machine_family" IS DISTINCT FROM (NEW."machine_family") OR OLD."measured_at" IS DISTINCT FROM (NEW."measured_at") OR OLD."memory_gib" IS DISTINCT FROM (NEW."memory_gib") OR OLD."network_encryption" IS DISTINCT FROM (NEW."network_encryption") OR OLD."network_kind" IS DISTINCT FROM (NEW."network_kind") OR OLD."node_count" IS DISTINCT FROM (NEW."node_count") OR OLD."operation" IS DISTINCT FROM (NEW."operation") OR OLD."ops_per_usd" IS DISTINCT FROM (NEW."ops_per_usd") OR OLD."pack" IS DISTINCT FROM (NEW."pack") OR OLD."pricing_model" IS DISTINCT FROM (NEW."pricing_model") OR OLD."provider" IS DISTINCT FROM (NEW."provider") OR OLD."published_at" IS DISTINCT FROM (NEW."published_at") OR OLD."region" IS DISTINCT FROM (NEW."region") OR OLD."relative_base" IS DISTINCT FROM (NEW."relative_base") OR OLD."relative_throughput" IS DISTINCT FROM (NEW."relative_throughput") OR OLD."replication_factor" IS DISTINCT FROM (NEW."replication_factor") OR OLD."retracted_at" IS DISTINCT FROM (NEW."retracted_at") OR OLD."series" IS DISTINCT FROM (NEW."series") OR OLD."service" IS DISTINCT FROM (NEW."service") OR OLD."service_version" IS DISTINCT FROM (NEW."service_version") OR OLD."source_url" IS DISTINCT FROM (NEW."source_url") OR OLD."submitted_by_id" IS DISTINCT FROM (NEW."submitted_by_id") OR OLD."supersedes_id" IS DISTINCT FROM (NEW."supersedes_id") OR OLD."threads" IS DISTINCT FROM (NEW."threads") OR OLD."throughput_ops_s" IS DISTINCT FROM (NEW."throughput_ops_s") OR OLD."tool" IS DISTINCT FROM (NEW."tool") OR OLD."tool_version" IS DISTINCT FROM (NEW."tool_version") OR OLD."trials_count" IS DISTINCT FROM (NEW."trials_count") OR OLD."trust" IS DISTINCT FROM (NEW."trust") OR OLD."unranked_at" IS DISTINCT FROM (NEW."unranked_at") OR OLD."unranked_until" IS DISTINCT FROM (NEW."unranked_until") OR OLD."vcpus" IS DISTINCT FROM (NEW."vcpus") OR OLD."visibility" IS DISTINCT FROM (NEW."visibility") OR OLD."workload_id" IS DISTINCT FROM (NEW."workload_id") OR OLD."zones" IS DISTINCT FROM (NEW."zones"))', func='PERFORM submissions_queue_changes(ARRAY[NEW.id, OLD.supersedes_id, NEW.supersedes_id], OLD.workload_id); RETURN NULL;', hash='678a98fba1d3710934ae671e7118bce2d4a7d3ad', operation='UPDATE', pgid='pgtrigger_queue_update_5e6f2', table='submissions_submission', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='submission',
            trigger=pgtrigger.compiler.Trigger(name='queue_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='PERFORM submissions_queue_changes(ARRAY[OLD.supersedes_id], OLD.workload_id); RETURN NULL;', hash='946c6fa7cefe00adda42fb67895631b8af835e4d', operation='DELETE', pgid='pgtrigger_queue_delete_0823e', table='submissions_submission', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='trial',
            trigger=pgtrigger.compiler.Trigger(name='queue_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='PERFORM submissions_queue_changes(array_agg(DISTINCT submission_id)) FROM new_rows; RETURN NULL;', hash='7d6b6ffa7cff5f573fa510320b14019a1dc1b0c4', level='STATEMENT', operation='INSERT', pgid='pgtrigger_queue_insert_c646a', referencing='REFERENCING NEW TABLE AS new_rows ', table='submissions_trial', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='trial',
            trigger=pgtrigger.compiler.Trigger(name='queue_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func='PERFORM submissions_queue_changes(ARRAY[OLD.submission_id, NEW.submission_id]); RETURN NULL;', hash='fe0b36be4a4a58fad993a0aa5bb3d4f6fab6b292', operation='UPDATE', pgid='pgtrigger_queue_update_fae36', table='submissions_trial', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='trial',
            trigger=pgtrigger.compiler.Trigger(name='queue_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='PERFORM submissions_queue_changes(ARRAY[OLD.submission_id]); RETURN NULL;', hash='1f370dff53c555a3ab4d14070ba31318ca803508', operation='DELETE', pgid='pgtrigger_queue_delete_4f362', table='submissions_trial', when='AFTER')),
        ),
        migrations.AddIndex(
            model_name='queuedchange',
            index=models.Index(fields=['workload_id'], name='queue_of_a_workload'),
        ),
        migrations.AddIndex(
            model_name='sitecount',
            index=models.Index(fields=['kind', 'key'], name='site_counts_of_a_kind'),
        ),
        migrations.AddIndex(
            model_name='workloadfigures',
            index=models.Index(condition=models.Q(('valid_until__isnull', False)), fields=['valid_until'], name='figures_valid_until'),
        ),
        migrations.AddIndex(
            model_name='workloadfigures',
            index=models.Index(models.OrderBy(models.F('valued'), descending=True), name='figures_valued'),
        ),
        migrations.AddIndex(
            model_name='workloadfigures',
            index=models.Index(models.OrderBy(django.db.models.lookups.GreaterThan(models.F('machine_types'), 1), descending=True), models.OrderBy(models.F('newest'), descending=True, nulls_last=True), models.OrderBy(models.F('workload_id'), descending=True), condition=models.Q(('proven__gt', 0)), name='figures_newest_first'),
        ),
        migrations.AddIndex(
            model_name='aggregate',
            index=models.Index(models.F('kind'), models.OrderBy(models.F('orders__0'), descending=True), name='aggregates_by_order'),
        ),
        migrations.AddIndex(
            model_name='aggregate',
            index=models.Index(models.F('kind'), models.OrderBy(models.F('numbers__0'), descending=True), models.OrderBy(models.F('orders__0'), descending=True), name='aggregates_by_number'),
        ),
        *(migrations.RunSQL((_SQL / name).read_text(), "") for name in ("queue_changes.sql", "queue_new.sql")),
        migrations.RunSQL(_QUEUE_ALL, ""),
    ]
