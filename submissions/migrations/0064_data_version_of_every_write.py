"""Every write to what is shown starts a version, a new submission too: no ids are announced, nothing is counted by ids."""

from pathlib import Path

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


_SQL = Path(__file__).parent / "sql"
# functions that write submissions called it first
_WITHOUT_HELD_IDS = """
DO $do$
DECLARE
    definition text;
BEGIN
    FOR definition IN
        SELECT pg_get_functiondef(oid) FROM pg_proc
        WHERE proname <> 'submissions_hold_ids' AND prosrc LIKE '%PERFORM submissions_hold_ids();%'
    LOOP
        EXECUTE replace(definition, 'PERFORM submissions_hold_ids();', '');
    END LOOP;
END $do$;
DROP FUNCTION submissions_hold_ids, submissions_note_reached, submissions_data_state(timestamptz),
    submissions_new_version_of_rows, submissions_new_segment_token, submissions_new_token, submissions_segment;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0063_without_totals'),
    ]

    operations = [
        migrations.DeleteModel(
            name='ReachedId',
        ),
        migrations.DeleteModel(
            name='SegmentVersion',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='submission',
            name='hold_ids',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='submission',
            name='version_on_insert',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='submission',
            name='version_on_delete',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='submission',
            name='version_on_update',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='submission',
            name='queue_update',
        ),
        migrations.AlterField(
            model_name='dataversion',
            name='subject',
            field=models.CharField(choices=[('data', 'Data'), ('figures', 'Figures'), ('prices', 'Prices'), ('pages', 'Pages')], max_length=10),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='submission',
            trigger=pgtrigger.compiler.Trigger(name='version_on_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='23e8d706664b58fb2fcbccf4b536ad6dec2721b3', level='STATEMENT', operation='INSERT', pgid='pgtrigger_version_on_insert_43658', table='submissions_submission', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='submission',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."architecture" IS DISTINCT FROM (NEW."architecture") OR OLD."at_slo" IS DISTINCT FROM (NEW."at_slo") OR OLD."attribution" IS DISTINCT FROM (NEW."attribution") OR OLD."averaged_over" IS DISTINCT FROM (NEW."averaged_over") OR OLD."bill" IS DISTINCT FROM (NEW."bill") OR OLD."bill_usd" IS DISTINCT FROM (NEW."bill_usd") OR OLD."cache_node_count" IS DISTINCT FROM (NEW."cache_node_count") OR OLD."client_count" IS DISTINCT FROM (NEW."client_count") OR OLD."client_placement" IS DISTINCT FROM (NEW."client_placement") OR OLD."consistency_level" IS DISTINCT FROM (NEW."consistency_level") OR OLD."cpu_model" IS DISTINCT FROM (NEW."cpu_model") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."disk_kind" IS DISTINCT FROM (NEW."disk_kind") OR OLD."document" IS DISTINCT FROM (NEW."document") OR OLD."embargo_until" IS DISTINCT FROM (NEW."embargo_until") OR OLD."errors" IS DISTINCT FROM (NEW."errors") OR OLD."fixed_rate_ops_s" IS DISTINCT FROM (NEW."fixed_rate_ops_s") OR OLD."flags" IS DISTINCT FROM (NEW."flags") OR OLD."hidden_at" IS DISTINCT FROM (NEW."hidden_at") OR OLD."hourly_usd" IS DISTINCT FROM (NEW."hourly_usd") OR OLD."instance_type" IS DISTINCT FROM (NEW."instance_type") OR OLD."is_price_stated" IS DISTINCT FROM (NEW."is_price_stated") OR OLD."jdk_vendor" IS DISTINCT FROM (NEW."jdk_vendor") OR OLD."jdk_version" IS DISTINCT FROM (NEW."jdk_version") OR OLD."latency_kind" IS DISTINCT FROM (NEW."latency_kind") OR OLD."latency_max_ms" IS DISTINCT FROM (NEW."latency_max_ms") OR OLD."latency_mean_ms" IS DISTINCT FROM (NEW."latency_mean_ms") OR OLD."latency_p50_ms" IS DISTINCT FROM (NEW."latency_p50_ms") OR OLD."latency_p95_ms" IS DISTINCT FROM (NEW."latency_p95_ms") OR OLD."latency_p999_ms" IS DISTINCT FROM (NEW."latency_p999_ms") OR OLD."latency_p99_at_most_ms" IS DISTINCT FROM (NEW."latency_p99_at_most_ms") OR OLD."latency_p99_bound_of" IS DISTINCT FROM (NEW."latency_p99_bound_of") OR OLD."latency_p99_is_bound" IS DISTINCT FROM (NEW."latency_p99_is_bound") OR OLD."latency_p99_ms" IS DISTINCT FROM (NEW."latency_p99_ms") OR OLD."license" IS DISTINCT FROM (NEW."license") OR OLD."link_key" IS DISTINCT FROM (NEW."link_key") OR OLD."load_mode" IS DISTINCT FROM (NEW."load_mode") OR OLD."machine_family" IS DISTINCT FROM (NEW."machine_family") OR OLD."measured_at" IS DISTINCT FROM (NEW."measured_at") OR OLD."measured_at_source" IS DISTINCT FROM (NEW."measured_at_source") OR OLD."memory_gib" IS DISTINCT FROM (NEW."memory_gib") OR OLD."network_encryption" IS DISTINCT FROM (NEW."network_encryption") OR OLD."network_kind" IS DISTINCT FROM (NEW."network_kind") OR OLD."node_count" IS DISTINCT FROM (NEW."node_count") OR OLD."notes" IS DISTINCT FROM (NEW."notes") OR OLD."operation" IS DISTINCT FROM (NEW."operation") OR OLD."operations" IS DISTINCT FROM (NEW."operations") OR OLD."ops_per_usd" IS DISTINCT FROM (NEW."ops_per_usd") OR OLD."pack" IS DISTINCT FROM (NEW."pack") OR OLD."price_date" IS DISTINCT FROM (NEW."price_date") OR OLD."price_last_seen" IS DISTINCT FROM (NEW."price_last_seen") OR OLD."price_missing" IS DISTINCT FROM (NEW."price_missing") OR OLD."pricing_model" IS DISTINCT FROM (NEW."pricing_model") OR OLD."provider" IS DISTINCT FROM (NEW."provider") OR OLD."published_at" IS DISTINCT FROM (NEW."published_at") OR OLD."region" IS DISTINCT FROM (NEW."region") OR OLD."relative_base" IS DISTINCT FROM (NEW."relative_base") OR OLD."relative_throughput" IS DISTINCT FROM (NEW."relative_throughput") OR OLD."replication_factor" IS DISTINCT FROM (NEW."replication_factor") OR OLD."retracted_at" IS DISTINCT FROM (NEW."retracted_at") OR OLD."retraction_reason" IS DISTINCT FROM (NEW."retraction_reason") OR OLD."series" IS DISTINCT FROM (NEW."series") OR OLD."service" IS DISTINCT FROM (NEW."service") OR OLD."service_version" IS DISTINCT FROM (NEW."service_version") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_url" IS DISTINCT FROM (NEW."source_url") OR OLD."submitted_by_id" IS DISTINCT FROM (NEW."submitted_by_id") OR OLD."supersedes_id" IS DISTINCT FROM (NEW."supersedes_id") OR OLD."threads" IS DISTINCT FROM (NEW."threads") OR OLD."throttle_ops_s" IS DISTINCT FROM (NEW."throttle_ops_s") OR OLD."throughput_cv" IS DISTINCT FROM (NEW."throughput_cv") OR OLD."throughput_high_ops_s" IS DISTINCT FROM (NEW."throughput_high_ops_s") OR OLD."throughput_low_ops_s" IS DISTINCT FROM (NEW."throughput_low_ops_s") OR OLD."throughput_ops_s" IS DISTINCT FROM (NEW."throughput_ops_s") OR OLD."title" IS DISTINCT FROM (NEW."title") OR OLD."tool" IS DISTINCT FROM (NEW."tool") OR OLD."tool_version" IS DISTINCT FROM (NEW."tool_version") OR OLD."trials_count" IS DISTINCT FROM (NEW."trials_count") OR OLD."trust" IS DISTINCT FROM (NEW."trust") OR OLD."unranked_at" IS DISTINCT FROM (NEW."unranked_at") OR OLD."unranked_until" IS DISTINCT FROM (NEW."unranked_until") OR OLD."usd_per_million_ops" IS DISTINCT FROM (NEW."usd_per_million_ops") OR OLD."vcpus" IS DISTINCT FROM (NEW."vcpus") OR OLD."visibility" IS DISTINCT FROM (NEW."visibility") OR OLD."workload_id" IS DISTINCT FROM (NEW."workload_id") OR OLD."zones" IS DISTINCT FROM (NEW."zones"))', func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='d5ba4c230a92f0267c08a88770dd948d8bfdf4d8', operation='UPDATE', pgid='pgtrigger_version_on_update_3cbbc', table='submissions_submission', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='submission',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='a7cb4751d6af8d8491a4e170892ceb438366453c', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_92fca', table='submissions_submission', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='submission',
            trigger=pgtrigger.compiler.Trigger(name='queue_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."architecture" IS DISTINCT FROM (NEW."architecture") OR OLD."at_slo" IS DISTINCT FROM (NEW."at_slo") OR OLD."attribution" IS DISTINCT FROM (NEW."attribution") OR OLD."averaged_over" IS DISTINCT FROM (NEW."averaged_over") OR OLD."bill" IS DISTINCT FROM (NEW."bill") OR OLD."bill_usd" IS DISTINCT FROM (NEW."bill_usd") OR OLD."cache_node_count" IS DISTINCT FROM (NEW."cache_node_count") OR OLD."client_count" IS DISTINCT FROM (NEW."client_count") OR OLD."client_placement" IS DISTINCT FROM (NEW."client_placement") OR OLD."consistency_level" IS DISTINCT FROM (NEW."consistency_level") OR OLD."cpu_model" IS DISTINCT FROM (NEW."cpu_model") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."disk_kind" IS DISTINCT FROM (NEW."disk_kind") OR OLD."document" IS DISTINCT FROM (NEW."document") OR OLD."embargo_until" IS DISTINCT FROM (NEW."embargo_until") OR OLD."errors" IS DISTINCT FROM (NEW."errors") OR OLD."fixed_rate_ops_s" IS DISTINCT FROM (NEW."fixed_rate_ops_s") OR OLD."flags" IS DISTINCT FROM (NEW."flags") OR OLD."hidden_at" IS DISTINCT FROM (NEW."hidden_at") OR OLD."hourly_usd" IS DISTINCT FROM (NEW."hourly_usd") OR OLD."instance_type" IS DISTINCT FROM (NEW."instance_type") OR OLD."is_price_stated" IS DISTINCT FROM (NEW."is_price_stated") OR OLD."jdk_vendor" IS DISTINCT FROM (NEW."jdk_vendor") OR OLD."jdk_version" IS DISTINCT FROM (NEW."jdk_version") OR OLD."latency_kind" IS DISTINCT FROM (NEW."latency_kind") OR OLD."latency_max_ms" IS DISTINCT FROM (NEW."latency_max_ms") OR OLD."latency_mean_ms" IS DISTINCT FROM (NEW."latency_mean_ms") OR OLD."latency_p50_ms" IS DISTINCT FROM (NEW."latency_p50_ms") OR OLD."latency_p95_ms" IS DISTINCT FROM (NEW."latency_p95_ms") OR OLD."latency_p999_ms" IS DISTINCT FROM (NEW."latency_p999_ms") OR OLD."latency_p99_at_most_ms" IS DISTINCT FROM (NEW."latency_p99_at_most_ms") OR OLD."latency_p99_bound_of" IS DISTINCT FROM (NEW."latency_p99_bound_of") OR OLD."latency_p99_is_bound" IS DISTINCT FROM (NEW."latency_p99_is_bound") OR OLD."latency_p99_ms" IS DISTINCT FROM (NEW."latency_p99_ms") OR OLD."license" IS DISTINCT FROM (NEW."license") OR OLD."link_key" IS DISTINCT FROM (NEW."link_key") OR OLD."load_mode" IS DISTINCT FROM (NEW."load_mode") OR OLD."machine_family" IS DISTINCT FROM (NEW."machine_family") OR OLD."measured_at" IS DISTINCT FROM (NEW."measured_at") OR OLD."measured_at_source" IS DISTINCT FROM (NEW."measured_at_source") OR OLD."memory_gib" IS DISTINCT FROM (NEW."memory_gib") OR OLD."network_encryption" IS DISTINCT FROM (NEW."network_encryption") OR OLD."network_kind" IS DISTINCT FROM (NEW."network_kind") OR OLD."node_count" IS DISTINCT FROM (NEW."node_count") OR OLD."notes" IS DISTINCT FROM (NEW."notes") OR OLD."operation" IS DISTINCT FROM (NEW."operation") OR OLD."operations" IS DISTINCT FROM (NEW."operations") OR OLD."ops_per_usd" IS DISTINCT FROM (NEW."ops_per_usd") OR OLD."pack" IS DISTINCT FROM (NEW."pack") OR OLD."price_date" IS DISTINCT FROM (NEW."price_date") OR OLD."price_last_seen" IS DISTINCT FROM (NEW."price_last_seen") OR OLD."price_missing" IS DISTINCT FROM (NEW."price_missing") OR OLD."pricing_model" IS DISTINCT FROM (NEW."pricing_model") OR OLD."provider" IS DISTINCT FROM (NEW."provider") OR OLD."published_at" IS DISTINCT FROM (NEW."published_at") OR OLD."region" IS DISTINCT FROM (NEW."region") OR OLD."relative_base" IS DISTINCT FROM (NEW."relative_base") OR OLD."relative_throughput" IS DISTINCT FROM (NEW."relative_throughput") OR OLD."replication_factor" IS DISTINCT FROM (NEW."replication_factor") OR OLD."retracted_at" IS DISTINCT FROM (NEW."retracted_at") OR OLD."retraction_reason" IS DISTINCT FROM (NEW."retraction_reason") OR OLD."series" IS DISTINCT FROM (NEW."series") OR OLD."service" IS DISTINCT FROM (NEW."service") OR OLD."service_version" IS DISTINCT FROM (NEW."service_version") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_url" IS DISTINCT FROM (NEW."source_url") OR OLD."submitted_by_id" IS DISTINCT FROM (NEW."submitted_by_id") OR OLD."supersedes_id" IS DISTINCT FROM (NEW."supersedes_id") OR OLD."threads" IS DISTINCT FROM (NEW."threads") OR OLD."throttle_ops_s" IS DISTINCT FROM (NEW."throttle_ops_s") OR OLD."throughput_cv" IS DISTINCT FROM (NEW."throughput_cv") OR OLD."throughput_high_ops_s" IS DISTINCT FROM (NEW."throughput_high_ops_s") OR OLD."throughput_low_ops_s" IS DISTINCT FROM (NEW."throughput_low_ops_s") OR OLD."throughput_ops_s" IS DISTINCT FROM (NEW."throughput_ops_s") OR OLD."title" IS DISTINCT FROM (NEW."title") OR OLD."tool" IS DISTINCT FROM (NEW."tool") OR OLD."tool_version" IS DISTINCT FROM (NEW."tool_version") OR OLD."trials_count" IS DISTINCT FROM (NEW."trials_count") OR OLD."trust" IS DISTINCT FROM (NEW."trust") OR OLD."unranked_at" IS DISTINCT FROM (NEW."unranked_at") OR OLD."unranked_until" IS DISTINCT FROM (NEW."unranked_until") OR OLD."usd_per_million_ops" IS DISTINCT FROM (NEW."usd_per_million_ops") OR OLD."vcpus" IS DISTINCT FROM (NEW."vcpus") OR OLD."visibility" IS DISTINCT FROM (NEW."visibility") OR OLD."workload_id" IS DISTINCT FROM (NEW."workload_id") OR OLD."zones" IS DISTINCT FROM (NEW."zones"))', func='PERFORM submissions_queue_changes(ARRAY[NEW.id, OLD.supersedes_id, NEW.supersedes_id], OLD.workload_id); RETURN NULL;', hash='81266b951fb2ea41fc0a8d564411383bb335abc7', operation='UPDATE', pgid='pgtrigger_queue_update_5e6f2', table='submissions_submission', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='workload',
            trigger=pgtrigger.compiler.Trigger(name='queue_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_queue_changes('{}', NEW.id); RETURN NULL;", hash='4526564c57f57deb64769bbed7ca579b16309ff3', operation='UPDATE', pgid='pgtrigger_queue_update_9a0ce', table='submissions_workload', when='AFTER')),
        ),
        migrations.RunSQL(_WITHOUT_HELD_IDS, ""),
        *(migrations.RunSQL((_SQL / name).read_text(), "") for name in ("data_state.sql", "new_version.sql")),
    ]
