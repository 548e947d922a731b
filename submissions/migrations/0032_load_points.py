"""Load curves: their points, which trials are those of the peak, and the limit that a curve was measured for."""

from pathlib import Path

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
import submissions.choices
from django.db import migrations, models


_FOLDER = Path(__file__).parent / "sql"
_TRIALS_OF_PEAKS = (_FOLDER / "totals_of_trials.sql").read_text()
_ALL_TRIALS = _TRIALS_OF_PEAKS.replace(" AND t.is_at_peak", "")


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0031_follows'),
    ]

    operations = [
        migrations.CreateModel(
            name='LoadPoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('latency_kind', models.CharField(choices=submissions.choices.LatencyKind.pairs, default=submissions.choices.LatencyKind['UNKNOWN'], max_length=20)),
                ('latency_mean_ms', models.FloatField(null=True)),
                ('latency_p50_ms', models.FloatField(null=True)),
                ('latency_p95_ms', models.FloatField(null=True)),
                ('latency_p99_ms', models.FloatField(null=True)),
                ('latency_p999_ms', models.FloatField(null=True)),
                ('latency_max_ms', models.FloatField(null=True)),
                ('index', models.PositiveSmallIntegerField()),
                ('offered_ops_s', models.FloatField(null=True)),
                ('threads', models.PositiveIntegerField(null=True)),
                ('trials_count', models.PositiveIntegerField()),
                ('throughput_ops_s', models.FloatField()),
                ('throughput_low_ops_s', models.FloatField(null=True)),
                ('throughput_high_ops_s', models.FloatField(null=True)),
                ('worst_p50_ms', models.FloatField(null=True)),
                ('worst_p95_ms', models.FloatField(null=True)),
                ('worst_p99_ms', models.FloatField(null=True)),
                ('worst_p999_ms', models.FloatField(null=True)),
                ('error_share', models.FloatField(null=True)),
                ('operations', models.BigIntegerField(null=True)),
                ('fewest_operations', models.BigIntegerField(null=True)),
                ('is_sustained', models.BooleanField()),
                ('is_comparable', models.BooleanField()),
                ('is_peak', models.BooleanField()),
            ],
            options={
                'ordering': ['submission_id', 'index'],
            },
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='submission',
            name='version_on_update',
        ),
        migrations.AddField(
            model_name='submission',
            name='slo',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='trial',
            name='is_at_peak',
            field=models.BooleanField(db_default=True, default=True),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='submission',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."averaged_over" IS DISTINCT FROM (NEW."averaged_over") OR OLD."bill" IS DISTINCT FROM (NEW."bill") OR OLD."bill_usd" IS DISTINCT FROM (NEW."bill_usd") OR OLD."cache_node_count" IS DISTINCT FROM (NEW."cache_node_count") OR OLD."client_count" IS DISTINCT FROM (NEW."client_count") OR OLD."consistency_level" IS DISTINCT FROM (NEW."consistency_level") OR OLD."cpu_model" IS DISTINCT FROM (NEW."cpu_model") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."disk_kind" IS DISTINCT FROM (NEW."disk_kind") OR OLD."document" IS DISTINCT FROM (NEW."document") OR OLD."embargo_until" IS DISTINCT FROM (NEW."embargo_until") OR OLD."errors" IS DISTINCT FROM (NEW."errors") OR OLD."fixed_rate_ops_s" IS DISTINCT FROM (NEW."fixed_rate_ops_s") OR OLD."flags" IS DISTINCT FROM (NEW."flags") OR OLD."hidden_at" IS DISTINCT FROM (NEW."hidden_at") OR OLD."hourly_usd" IS DISTINCT FROM (NEW."hourly_usd") OR OLD."instance_type" IS DISTINCT FROM (NEW."instance_type") OR OLD."is_price_stated" IS DISTINCT FROM (NEW."is_price_stated") OR OLD."jdk_vendor" IS DISTINCT FROM (NEW."jdk_vendor") OR OLD."jdk_version" IS DISTINCT FROM (NEW."jdk_version") OR OLD."latency_kind" IS DISTINCT FROM (NEW."latency_kind") OR OLD."latency_max_ms" IS DISTINCT FROM (NEW."latency_max_ms") OR OLD."latency_mean_ms" IS DISTINCT FROM (NEW."latency_mean_ms") OR OLD."latency_p50_ms" IS DISTINCT FROM (NEW."latency_p50_ms") OR OLD."latency_p95_ms" IS DISTINCT FROM (NEW."latency_p95_ms") OR OLD."latency_p999_ms" IS DISTINCT FROM (NEW."latency_p999_ms") OR OLD."latency_p99_ms" IS DISTINCT FROM (NEW."latency_p99_ms") OR OLD."license" IS DISTINCT FROM (NEW."license") OR OLD."link_key" IS DISTINCT FROM (NEW."link_key") OR OLD."load_mode" IS DISTINCT FROM (NEW."load_mode") OR OLD."measured_at" IS DISTINCT FROM (NEW."measured_at") OR OLD."measured_at_source" IS DISTINCT FROM (NEW."measured_at_source") OR OLD."memory_gib" IS DISTINCT FROM (NEW."memory_gib") OR OLD."network_encryption" IS DISTINCT FROM (NEW."network_encryption") OR OLD."network_kind" IS DISTINCT FROM (NEW."network_kind") OR OLD."node_count" IS DISTINCT FROM (NEW."node_count") OR OLD."notes" IS DISTINCT FROM (NEW."notes") OR OLD."operation" IS DISTINCT FROM (NEW."operation") OR OLD."operations" IS DISTINCT FROM (NEW."operations") OR OLD."ops_per_usd" IS DISTINCT FROM (NEW."ops_per_usd") OR OLD."price_date" IS DISTINCT FROM (NEW."price_date") OR OLD."price_last_seen" IS DISTINCT FROM (NEW."price_last_seen") OR OLD."price_missing" IS DISTINCT FROM (NEW."price_missing") OR OLD."pricing_model" IS DISTINCT FROM (NEW."pricing_model") OR OLD."provider" IS DISTINCT FROM (NEW."provider") OR OLD."published_at" IS DISTINCT FROM (NEW."published_at") OR OLD."region" IS DISTINCT FROM (NEW."region") OR OLD."relative_base" IS DISTINCT FROM (NEW."relative_base") OR OLD."relative_throughput" IS DISTINCT FROM (NEW."relative_throughput") OR OLD."replication_factor" IS DISTINCT FROM (NEW."replication_factor") OR OLD."retracted_at" IS DISTINCT FROM (NEW."retracted_at") OR OLD."retraction_reason" IS DISTINCT FROM (NEW."retraction_reason") OR OLD."series" IS DISTINCT FROM (NEW."series") OR OLD."service" IS DISTINCT FROM (NEW."service") OR OLD."service_version" IS DISTINCT FROM (NEW."service_version") OR OLD."slo" IS DISTINCT FROM (NEW."slo") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_url" IS DISTINCT FROM (NEW."source_url") OR OLD."submitted_by_id" IS DISTINCT FROM (NEW."submitted_by_id") OR OLD."supersedes_id" IS DISTINCT FROM (NEW."supersedes_id") OR OLD."threads" IS DISTINCT FROM (NEW."threads") OR OLD."throttle_ops_s" IS DISTINCT FROM (NEW."throttle_ops_s") OR OLD."throughput_cv" IS DISTINCT FROM (NEW."throughput_cv") OR OLD."throughput_high_ops_s" IS DISTINCT FROM (NEW."throughput_high_ops_s") OR OLD."throughput_low_ops_s" IS DISTINCT FROM (NEW."throughput_low_ops_s") OR OLD."throughput_ops_s" IS DISTINCT FROM (NEW."throughput_ops_s") OR OLD."title" IS DISTINCT FROM (NEW."title") OR OLD."tool" IS DISTINCT FROM (NEW."tool") OR OLD."tool_version" IS DISTINCT FROM (NEW."tool_version") OR OLD."trials_count" IS DISTINCT FROM (NEW."trials_count") OR OLD."trust" IS DISTINCT FROM (NEW."trust") OR OLD."unranked_at" IS DISTINCT FROM (NEW."unranked_at") OR OLD."unranked_until" IS DISTINCT FROM (NEW."unranked_until") OR OLD."usd_per_million_ops" IS DISTINCT FROM (NEW."usd_per_million_ops") OR OLD."vcpus" IS DISTINCT FROM (NEW."vcpus") OR OLD."visibility" IS DISTINCT FROM (NEW."visibility") OR OLD."workload_id" IS DISTINCT FROM (NEW."workload_id") OR OLD."zones" IS DISTINCT FROM (NEW."zones"))', func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='86e6a89cb48fdfdaa329431de83ae280b9759baa', operation='UPDATE', pgid='pgtrigger_version_on_update_3cbbc', table='submissions_submission', when='AFTER')),
        ),
        migrations.AddField(
            model_name='loadpoint',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='load_points', to='submissions.submission'),
        ),
        migrations.AddConstraint(
            model_name='loadpoint',
            constraint=models.UniqueConstraint(fields=('submission', 'index'), name='one_load_point_an_index'),
        ),
        migrations.AddConstraint(
            model_name='loadpoint',
            constraint=models.UniqueConstraint(condition=models.Q(('is_peak', True)), fields=('submission',), name='one_peak_a_curve'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='loadpoint',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='24c8e82d69def9c2151931df47dc1f0b71fb87dd', operation='UPDATE', pgid='pgtrigger_version_on_update_9f3ad', table='submissions_loadpoint', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='loadpoint',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='dac96451f33b26aa0bdf8fae8fe2655e6ead6eed', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_f6432', table='submissions_loadpoint', when='AFTER')),
        ),
        migrations.RunSQL(_TRIALS_OF_PEAKS, _ALL_TRIALS),
    ]
