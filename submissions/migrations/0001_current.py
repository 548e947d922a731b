"""The database as it is now, for a new site; a site that has applied all of `replaces` has it by 0002.

Tables and triggers of models are Django's. Each function of the database has one text, with its other triggers, in sql/.
"""

from pathlib import Path


import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.fields.json
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import pgtrigger.compiler
import pgtrigger.migrations
import submissions.choices
import uuid
from django.conf import settings
from django.db import migrations, models

SQL = Path(__file__).parent / "sql"
# Tables have an index on the words; all other functions read tables, or are called by their triggers.
BEFORE_TABLES = ("submissions_search_words",)


def text_of(function: str) -> str:
    return (SQL / f"{function}.sql").read_text(encoding="utf-8")


def all_functions() -> str:
    """In any order: a function is looked for when it is called."""
    texts = [text_of(path.stem) for path in sorted(SQL.glob("*.sql"))]
    return "\n".join(["SET LOCAL check_function_bodies = off;", *texts])


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('submissions', '0001_initial'),
        ('submissions', '0002_list_indexes'),
        ('submissions', '0003_short_links_and_datasets'),
        ('submissions', '0004_reproduction'),
        ('submissions', '0005_previews_by_a_worker'),
        ('submissions', '0006_safe_to_open'),
        ('submissions', '0007_moderation'),
        ('submissions', '0008_invitations'),
        ('submissions', '0009_visibility_changes'),
        ('submissions', '0010_links_of_unlisted'),
        ('submissions', '0011_averaged_over'),
        ('submissions', '0012_load_limits'),
        ('submissions', '0013_price_last_seen'),
        ('submissions', '0014_dates_and_bills'),
        ('submissions', '0015_configurations_and_series'),
        ('submissions', '0016_content_without_title'),
        ('submissions', '0017_data_version'),
        ('submissions', '0018_totals'),
        ('submissions', '0019_totals_planned_once'),
        ('submissions', '0020_reached_id'),
        ('submissions', '0021_indexes_of_workloads'),
        ('submissions', '0022_waiting_of_an_account'),
        ('submissions', '0023_tallies'),
        ('submissions', '0024_indexes_of_boards'),
        ('submissions', '0025_indexes'),
        ('submissions', '0026_first_parts'),
        ('submissions', '0027_titles_of_workloads'),
        ('submissions', '0028_public_runs'),
        ('submissions', '0029_many_logs_at_once'),
        ('submissions', '0030_search'),
        ('submissions', '0031_follows'),
        ('submissions', '0032_load_points'),
        ('submissions', '0033_signing_keys'),
        ('submissions', '0034_at_slo'),
        ('submissions', '0035_before'),
        ('submissions', '0036_load_points_of_types'),
        ('submissions', '0037_planned_once'),
        ('submissions', '0038_successors_by_index'),
        ('submissions', '0039_totals_at_once'),
        ('submissions', '0040_new_workloads_at_once'),
        ('submissions', '0041_accounts_of_a_workload'),
        ('submissions', '0042_segment_versions'),
        ('submissions', '0043_totals_revised'),
        ('submissions', '0044_interval_curves'),
        ('submissions', '0045_document_bytes'),
        ('submissions', '0046_upload_heartbeat'),
        ('submissions', '0047_short_link_use'),
        ('submissions', '0048_newest_first'),
        ('submissions', '0049_load_fingerprint'),
        ('submissions', '0050_p99_at_most'),
        ('submissions', '0051_p99_at_most_filled'),
        ('submissions', '0052_p99_at_most_used'),
        ('submissions', '0053_packs_and_machines'),
        ('submissions', '0054_machine_families_filled'),
        ('submissions', '0055_packs'),
        ('submissions', '0056_credits'),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        *(migrations.RunSQL(text_of(name), migrations.RunSQL.noop) for name in BEFORE_TABLES),
        migrations.CreateModel(
            name='Artifact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('trial_index', models.PositiveSmallIntegerField(null=True)),
                ('kind', models.CharField(choices=submissions.choices.ArtifactKind.pairs, max_length=20)),
                ('name', models.CharField(max_length=255)),
                ('sha256', models.CharField(db_index=True, max_length=64)),
                ('size_bytes', models.BigIntegerField()),
                ('original_sha256', models.CharField(max_length=64, null=True)),
                ('removed_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['submission_id', 'trial_index', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Dataset',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_at', models.DateTimeField(unique=True)),
                ('folder', models.CharField(max_length=100, unique=True)),
                ('files', models.JSONField()),
                ('licenses', models.JSONField(db_default=[], default=list)),
            ],
            options={
                'ordering': ['-made_at'],
            },
        ),
        migrations.CreateModel(
            name='DataVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(choices=[('data', 'Data'), ('figures', 'Figures'), ('prices', 'Prices'), ('pages', 'Pages')], max_length=10)),
                ('token', models.UUIDField()),
            ],
        ),
        migrations.CreateModel(
            name='Follow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('cluster', models.CharField(blank=True, max_length=12)),
                ('cluster_name', models.CharField(blank=True, max_length=500)),
                ('filters', models.CharField(blank=True, max_length=1000)),
                ('by_email', models.BooleanField(default=False)),
                ('webhook_url', models.CharField(blank=True, max_length=500)),
                ('webhook_nonce', models.CharField(blank=True, max_length=32)),
                ('feed_key', models.CharField(max_length=32, null=True, unique=True)),
                ('threshold_percent', models.FloatField(null=True)),
                ('quiet_after_days', models.PositiveSmallIntegerField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('since', models.DateTimeField()),
                ('has_baseline', models.BooleanField(default=False)),
                ('paused_at', models.DateTimeField(null=True)),
                ('failing_since', models.DateTimeField(null=True)),
                ('failure', models.CharField(blank=True, max_length=200)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='FollowedChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('notified', 'Notified'), ('earlier', 'Earlier'), ('old', 'Old')], max_length=10)),
            ],
        ),
        migrations.CreateModel(
            name='InstanceType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=50)),
                ('name', models.CharField(max_length=100)),
                ('vcpus', models.PositiveIntegerField(null=True)),
                ('memory_gib', models.FloatField(null=True)),
                ('local_disk_gib', models.FloatField(null=True)),
                ('local_disk_count', models.PositiveSmallIntegerField(null=True)),
                ('local_disk_kind', models.CharField(max_length=50, null=True)),
                ('arch', models.CharField(max_length=20, null=True)),
                ('cpu_model', models.CharField(max_length=200, null=True)),
                ('source', models.CharField(max_length=200)),
            ],
            options={
                'ordering': ['provider', 'name'],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('note', models.CharField(blank=True, help_text='Who it is for. Only operators see it.', max_length=200)),
                ('email', models.EmailField(blank=True, help_text='Where the link is sent, if this site can send mail.', max_length=254)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(editable=False)),
                ('used_at', models.DateTimeField(editable=False, null=True)),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='LevelChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('cluster', models.CharField(max_length=12)),
                ('cluster_name', models.CharField(max_length=500)),
                ('metric', models.CharField(choices=[('throughput_ops_s', 'Throughput'), ('latency_p99_ms', 'p99')], max_length=30)),
                ('latency_kind', models.CharField(blank=True, choices=submissions.choices.LatencyKind.pairs, max_length=20)),
                ('first_after', models.BigIntegerField()),
                ('at', models.DateTimeField()),
                ('percent', models.FloatField()),
                ('mean_before', models.FloatField()),
                ('mean_after', models.FloatField()),
                ('n_before', models.PositiveIntegerField()),
                ('n_after', models.PositiveIntegerField()),
                ('first_seen_at', models.DateTimeField(auto_now_add=True)),
                ('gone_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-at', '-id'],
            },
        ),
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
                ('is_of_slowest', models.BooleanField(default=False)),
                ('is_peak', models.BooleanField()),
            ],
            options={
                'ordering': ['submission_id', 'index'],
            },
        ),
        migrations.CreateModel(
            name='ModerationDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('outcome', models.CharField(choices=submissions.choices.Outcome.pairs, max_length=20)),
                ('reason', models.CharField(max_length=500)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='NodeGroup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('role', models.CharField(choices=submissions.choices.Role.pairs, max_length=20)),
                ('count', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=submissions.choices.NodeKind.pairs, db_default='machines', default='machines', max_length=20)),
                ('instance_type', models.CharField(max_length=100)),
                ('cpu_model', models.CharField(max_length=200, null=True)),
                ('vcpus', models.PositiveIntegerField(null=True)),
                ('memory_gib', models.FloatField(null=True)),
                ('disks', models.JSONField(default=list)),
                ('pricing_model', models.CharField(choices=submissions.choices.PricingModel.pairs, max_length=20)),
                ('node_hourly_usd', models.DecimalField(decimal_places=8, max_digits=16, null=True)),
                ('storage_hourly_usd', models.DecimalField(decimal_places=8, max_digits=16, null=True)),
                ('is_price_stated', models.BooleanField(default=False)),
                ('price_source', models.CharField(max_length=200, null=True)),
                ('price_date', models.DateField(null=True)),
                ('price_last_seen', models.DateField(null=True)),
            ],
            options={
                'ordering': ['submission_id', 'position'],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('changes', 'Changes'), ('quiet', 'Quiet')], max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('quiet_since', models.DateTimeField(null=True)),
                ('mail', models.CharField(blank=True, choices=[('', 'Unwanted'), ('waiting', 'Waiting'), ('sending', 'Sending'), ('sent', 'Sent'), ('failed', 'Failed')], default='', max_length=10)),
                ('webhook', models.CharField(blank=True, choices=[('', 'Unwanted'), ('waiting', 'Waiting'), ('sending', 'Sending'), ('sent', 'Sent'), ('failed', 'Failed')], default='', max_length=10)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='PackEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pack', models.CharField(max_length=50)),
                ('key', models.CharField(max_length=200)),
                ('version', models.CharField(max_length=64)),
                ('problem', models.TextField(default='')),
                ('loaded_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Price',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=50)),
                ('region', models.CharField(max_length=50)),
                ('sku', models.CharField(max_length=100)),
                ('unit', models.CharField(choices=[('hour', 'Hour'), ('gib_month', 'Gib Month'), ('iops_month', 'Iops Month'), ('mibps_month', 'Mibps Month'), ('gb', 'Gb')], max_length=20)),
                ('pricing_model', models.CharField(choices=submissions.choices.PricingModel.pairs, max_length=20)),
                ('usd', models.DecimalField(decimal_places=8, max_digits=16)),
                ('valid_from', models.DateField()),
                ('last_seen', models.DateField()),
                ('source', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'ordering': ['provider', 'region', 'sku', 'pricing_model', '-valid_from'],
            },
        ),
        migrations.CreateModel(
            name='PriceLoad',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(max_length=50, unique=True)),
                ('attempted_at', models.DateTimeField()),
                ('succeeded_at', models.DateTimeField(null=True)),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('digest', models.CharField(blank=True, max_length=64)),
            ],
            options={
                'ordering': ['source'],
            },
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
            name='RemovedPack',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=50, unique=True)),
                ('removed_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(choices=submissions.choices.ReportReason.pairs, max_length=20)),
                ('text', models.TextField(blank=True, max_length=2000)),
                ('address_hash', models.CharField(blank=True, max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('resolved_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Reproduction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('found_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['first_id', 'second_id'],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('latency_kind', models.CharField(choices=submissions.choices.LatencyKind.pairs, default=submissions.choices.LatencyKind['UNKNOWN'], max_length=20)),
                ('latency_mean_ms', models.FloatField(null=True)),
                ('latency_p50_ms', models.FloatField(null=True)),
                ('latency_p95_ms', models.FloatField(null=True)),
                ('latency_p99_ms', models.FloatField(null=True)),
                ('latency_p999_ms', models.FloatField(null=True)),
                ('latency_max_ms', models.FloatField(null=True)),
                ('content_hash', models.CharField(max_length=64)),
                ('document', models.JSONField()),
                ('title', models.CharField(max_length=300)),
                ('notes', models.TextField(blank=True)),
                ('source_url', models.URLField(blank=True, max_length=2000)),
                ('source', models.CharField(blank=True, max_length=500)),
                ('trust', models.CharField(choices=submissions.choices.Trust.pairs, max_length=20)),
                ('own_trust', models.CharField(choices=submissions.choices.Trust.pairs, max_length=20, null=True)),
                ('flags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=submissions.choices.Flag.pairs, max_length=30), default=list, size=None)),
                ('measured_at', models.DateTimeField(null=True)),
                ('measured_at_source', models.CharField(choices=submissions.choices.DateSource.pairs, max_length=10, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('retracted_at', models.DateTimeField(null=True)),
                ('retraction_reason', models.CharField(blank=True, max_length=500)),
                ('visibility', models.CharField(choices=submissions.choices.Visibility.pairs, default=submissions.choices.Visibility['PUBLIC'], max_length=10)),
                ('link_key', models.CharField(max_length=32, null=True)),
                ('embargo_until', models.DateTimeField(null=True)),
                ('published_at', models.DateTimeField(default=django.utils.timezone.now, null=True)),
                ('changed_at', models.DateTimeField(null=True)),
                ('license', models.CharField(blank=True, max_length=200)),
                ('pack', models.CharField(blank=True, db_default='', default='', max_length=50)),
                ('attribution', models.CharField(blank=True, db_default='', default='', max_length=300)),
                ('hidden_at', models.DateTimeField(null=True)),
                ('unranked_at', models.DateTimeField(null=True)),
                ('unranked_until', models.DateTimeField(null=True)),
                ('service', models.CharField(max_length=100)),
                ('service_version', models.CharField(max_length=50, null=True)),
                ('provider', models.CharField(max_length=50)),
                ('region', models.CharField(max_length=50, null=True)),
                ('zones', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=50), default=list, size=None)),
                ('instance_type', models.CharField(max_length=100)),
                ('machine_family', models.CharField(max_length=50, null=True)),
                ('architecture', models.CharField(choices=submissions.choices.Architecture.pairs, max_length=10, null=True)),
                ('cpu_model', models.CharField(max_length=200, null=True)),
                ('vcpus', models.PositiveIntegerField(null=True)),
                ('memory_gib', models.FloatField(null=True)),
                ('disk_kind', models.CharField(max_length=50, null=True)),
                ('node_count', models.PositiveIntegerField()),
                ('cache_node_count', models.PositiveIntegerField(default=0)),
                ('client_count', models.PositiveIntegerField(null=True)),
                ('client_placement', models.CharField(choices=submissions.choices.ClientPlacement.pairs, max_length=20, null=True)),
                ('jdk_vendor', models.CharField(max_length=50, null=True)),
                ('jdk_version', models.CharField(max_length=50, null=True)),
                ('network_kind', models.CharField(choices=submissions.choices.NetworkKind.pairs, max_length=20, null=True)),
                ('network_encryption', models.CharField(choices=submissions.choices.NetworkEncryption.pairs, max_length=20, null=True)),
                ('tool', models.CharField(max_length=50)),
                ('tool_version', models.CharField(max_length=50, null=True)),
                ('operation', models.CharField(max_length=50)),
                ('consistency_level', models.CharField(choices=submissions.choices.ConsistencyLevel.pairs, max_length=20, null=True)),
                ('replication_factor', models.PositiveSmallIntegerField(null=True)),
                ('load_mode', models.CharField(choices=submissions.choices.LoadMode.pairs, max_length=20, null=True)),
                ('threads', models.PositiveIntegerField(null=True)),
                ('fixed_rate_ops_s', models.FloatField(null=True)),
                ('throttle_ops_s', models.FloatField(null=True)),
                ('trials_count', models.PositiveIntegerField()),
                ('averaged_over', models.PositiveIntegerField(null=True)),
                ('throughput_ops_s', models.FloatField(null=True)),
                ('throughput_low_ops_s', models.FloatField(null=True)),
                ('throughput_high_ops_s', models.FloatField(null=True)),
                ('throughput_cv', models.FloatField(null=True)),
                ('relative_throughput', models.FloatField(null=True)),
                ('relative_base', models.CharField(blank=True, max_length=200)),
                ('operations', models.BigIntegerField(null=True)),
                ('errors', models.BigIntegerField(null=True)),
                ('latency_p99_at_most_ms', models.FloatField(null=True)),
                ('latency_p99_is_bound', models.BooleanField(db_default=False, default=False)),
                ('latency_p99_bound_of', models.CharField(blank=True, db_default='', default='', max_length=100)),
                ('configuration', models.GeneratedField(db_persist=True, expression=django.db.models.functions.text.MD5(django.db.models.functions.text.Concat(django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('service_version'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('provider'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('region'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('instance_type'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('cpu_model'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('vcpus'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('disk_kind'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('node_count'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('cache_node_count'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('client_count'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('jdk_vendor'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('jdk_version'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('network_kind'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('network_encryption'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('load_mode'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(models.F('threads'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(django.db.models.fields.json.KeyTransform('settings', 'document'), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(django.db.models.fields.json.KeyTransform('fixed_rate_ops_s', django.db.models.fields.json.KeyTransform('workload', 'document')), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.Cast(django.db.models.fields.json.KeyTransform('throttle_ops_s', django.db.models.fields.json.KeyTransform('workload', 'document')), models.TextField()), models.Value('', models.TextField()), output_field=models.TextField()), models.Value('\x1f', models.TextField()), output_field=models.TextField())), output_field=models.CharField(max_length=32))),
                ('at_slo', models.JSONField(null=True)),
                ('series', models.CharField(blank=True, max_length=100)),
                ('pricing_model', models.CharField(max_length=20, null=True)),
                ('hourly_usd', models.DecimalField(decimal_places=8, max_digits=16, null=True)),
                ('ops_per_usd', models.DecimalField(decimal_places=4, max_digits=24, null=True)),
                ('usd_per_million_ops', models.DecimalField(decimal_places=10, max_digits=20, null=True)),
                ('price_date', models.DateField(null=True)),
                ('price_last_seen', models.DateField(null=True)),
                ('is_price_stated', models.BooleanField(default=False)),
                ('bill', models.JSONField(null=True)),
                ('bill_usd', models.DecimalField(decimal_places=8, max_digits=20, null=True)),
                ('price_missing', models.CharField(blank=True, max_length=300)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='ShortLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=52, unique=True)),
                ('path', models.CharField(max_length=2000, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_used_on', models.DateField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='SigningKey',
            fields=[
                ('key_id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('public_key', models.TextField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('revoked_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-created_at', 'key_id'],
            },
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
            name='Trial',
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
                ('throughput_ops_s', models.FloatField(null=True)),
                ('relative_throughput', models.FloatField(null=True)),
                ('operations', models.BigIntegerField(null=True)),
                ('errors', models.BigIntegerField(null=True)),
                ('duration_s', models.FloatField(null=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('threads', models.PositiveIntegerField(null=True)),
                ('offered_ops_s', models.FloatField(null=True)),
                ('client_count', models.PositiveIntegerField(null=True)),
                ('averaged_over', models.PositiveIntegerField(null=True)),
                ('is_truncated', models.BooleanField(default=False)),
                ('is_at_peak', models.BooleanField(db_default=True, default=True)),
                ('latencies', models.JSONField(default=dict)),
                ('latency_ranges', models.JSONField(default=dict)),
                ('by_operation', models.JSONField(default=list)),
                ('histograms', models.JSONField(default=list)),
            ],
            options={
                'ordering': ['submission_id', 'index'],
            },
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('staged', 'Staged'), ('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='staged', max_length=10)),
                ('for_preview', models.BooleanField(default=False)),
                ('metadata', models.JSONField(default=dict)),
                ('files', models.JSONField(default=list)),
                ('errors', models.JSONField(default=list)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('heartbeat_at', models.DateTimeField(editable=False, null=True)),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('result', models.PositiveSmallIntegerField(null=True)),
                ('is_chosen', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='Workload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fingerprint', models.CharField(max_length=16, unique=True)),
                ('former_fingerprints', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=16), default=list, size=None)),
                ('canonical', models.JSONField()),
                ('load_fingerprint', models.GeneratedField(db_index=True, db_persist=True, expression=models.Func(models.F('canonical'), models.Value(['service', 'consistency_level'], output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), arg_joiner=' - ', output_field=models.CharField(max_length=16), template='left(md5((%(expressions)s::text[])::text), 16)'), output_field=models.CharField(max_length=16))),
                ('title', models.CharField(max_length=300)),
                ('service', models.CharField(db_index=True, max_length=100)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['title', 'fingerprint'],
            },
        ),
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
            name='AccountUsage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.DateTimeField()),
                ('bytes', models.BigIntegerField()),
                ('results', models.BigIntegerField()),
                ('account', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Acknowledgement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('digest', models.CharField(max_length=128, primary_key=True, serialize=False)),
                ('token_key', models.CharField(db_index=True, max_length=25)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('expiry', models.DateTimeField(blank=True, null=True)),
                ('name', models.CharField(default='token', max_length=100)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('submit', 'Submit'), ('run', 'Run')], max_length=20), default=list, size=None)),
                ('last_used_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='auth_token_set', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created'],
            },
        ),
        migrations.CreateModel(
            name='IntervalCurves',
            fields=[
                ('artifact', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='curves', serialize=False, to='submissions.artifact')),
                ('format', models.PositiveSmallIntegerField()),
                ('content', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='Change',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('changed_at', models.DateTimeField(auto_now_add=True)),
                ('values', models.JSONField()),
                ('document', models.JSONField(null=True)),
                ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['submission_id', 'id'],
            },
        ),
        migrations.CreateModel(
            name='ChangeComment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(max_length=2000)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('hidden_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='dataset',
            trigger=pgtrigger.compiler.Trigger(name='version_on_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='5c54eeb088711179134a5b4375104d1903f13604', level='STATEMENT', operation='INSERT', pgid='pgtrigger_version_on_insert_c3199', table='submissions_dataset', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='dataset',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='99a25f99fb905038eca40469a0712f2046b2adeb', operation='UPDATE', pgid='pgtrigger_version_on_update_4bc26', table='submissions_dataset', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='dataset',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='d1a9e0aeff7850719311914bf9158156ef0354ca', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_5196a', table='submissions_dataset', when='AFTER')),
        ),
        migrations.AddField(
            model_name='follow',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='follows', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='followedchange',
            name='follow',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='submissions.follow'),
        ),
        migrations.AddConstraint(
            model_name='instancetype',
            constraint=models.UniqueConstraint(fields=('provider', 'name'), name='one_instance_type'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='instancetype',
            trigger=pgtrigger.compiler.Trigger(name='version_on_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('prices'); RETURN NULL;", hash='7822482098cf17ecbbacfe361748fcc0c5435711', level='STATEMENT', operation='INSERT', pgid='pgtrigger_version_on_insert_1349a', table='submissions_instancetype', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='instancetype',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('prices'); RETURN NULL;", hash='62629591e4e9f45871ae9338d24f02244671aafe', operation='UPDATE', pgid='pgtrigger_version_on_update_fa613', table='submissions_instancetype', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='instancetype',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('prices'); RETURN NULL;", hash='0d95c5729a7ea50d1cc1693018ddbaf86181b6f0', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_3faee', table='submissions_instancetype', when='AFTER')),
        ),
        migrations.AddField(
            model_name='invitation',
            name='created_by',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='invitations', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='invitation',
            name='used_by',
            field=models.OneToOneField(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='invitation', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='followedchange',
            name='change',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='followed', to='submissions.levelchange'),
        ),
        migrations.AddField(
            model_name='changecomment',
            name='change',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='submissions.levelchange'),
        ),
        migrations.AddField(
            model_name='acknowledgement',
            name='change',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='acknowledgements', to='submissions.levelchange'),
        ),
        migrations.AddField(
            model_name='moderationdecision',
            name='account',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='decisions_about', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='moderationdecision',
            name='moderator',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='decisions', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='notice',
            name='follow',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='submissions.follow'),
        ),
        migrations.AddField(
            model_name='followedchange',
            name='notice',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='followed_changes', to='submissions.notice'),
        ),
        migrations.AddIndex(
            model_name='price',
            index=models.Index(fields=['sku', 'id'], name='price_by_name'),
        ),
        migrations.AddConstraint(
            model_name='price',
            constraint=models.UniqueConstraint(fields=('provider', 'region', 'sku', 'unit', 'pricing_model', 'valid_from'), name='one_price_a_day'),
        ),
        migrations.AddConstraint(
            model_name='price',
            constraint=models.CheckConstraint(condition=models.Q(('usd__gt', 0)), name='price_is_positive'),
        ),
        migrations.AddConstraint(
            model_name='price',
            constraint=models.CheckConstraint(condition=models.Q(('last_seen__gte', models.F('valid_from'))), name='price_seen_after_it_began'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='price',
            trigger=pgtrigger.compiler.Trigger(name='version_on_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('prices'); RETURN NULL;", hash='a4eae1ea605e22290a0d9a7a06964d23b838099c', level='STATEMENT', operation='INSERT', pgid='pgtrigger_version_on_insert_4a222', table='submissions_price', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='price',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('prices'); RETURN NULL;", hash='32a77eed3bdf32d2775e1054c685be584ccdc469', operation='UPDATE', pgid='pgtrigger_version_on_update_2d82f', table='submissions_price', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='price',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('prices'); RETURN NULL;", hash='14b968ad43485a9df7714fc58540f634ea486d6f', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_fa1c5', table='submissions_price', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='priceload',
            trigger=pgtrigger.compiler.Trigger(name='version_on_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('prices'); RETURN NULL;", hash='2df56471dcaf15e5b03966e8d68e1853809a096e', level='STATEMENT', operation='INSERT', pgid='pgtrigger_version_on_insert_d0fad', table='submissions_priceload', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='priceload',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('prices'); RETURN NULL;", hash='1c359ed848c021f7e17e9b908d352e12c26c275f', operation='UPDATE', pgid='pgtrigger_version_on_update_97598', table='submissions_priceload', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='priceload',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('prices'); RETURN NULL;", hash='7b12467d7f5dce8f45ac7ee878e4a86022b5b223', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_64da8', table='submissions_priceload', when='AFTER')),
        ),
        migrations.AddIndex(
            model_name='queuedchange',
            index=models.Index(fields=['workload_id'], name='queue_of_a_workload'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='removedpack',
            trigger=pgtrigger.compiler.Trigger(name='version_on_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='7e1a296ed116eda9892c1be6d7433f7e9810dfa3', level='STATEMENT', operation='INSERT', pgid='pgtrigger_version_on_insert_b6095', table='submissions_removedpack', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='removedpack',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='d085915e2190d7b3cea67ddfb0d415714d2ed404', operation='UPDATE', pgid='pgtrigger_version_on_update_ed945', table='submissions_removedpack', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='removedpack',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='dcf1048ba97c1e6a7fd2831d3f4ea8970f58e6b0', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_93b23', table='submissions_removedpack', when='AFTER')),
        ),
        migrations.AddField(
            model_name='report',
            name='decision',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='submissions.moderationdecision'),
        ),
        migrations.AddField(
            model_name='report',
            name='reporter',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL),
        ),
        migrations.CreateModel(
            name='SearchEntry',
            fields=[
                ('submission', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='search_entry', serialize=False, to='submissions.submission')),
                ('words', django.contrib.postgres.search.SearchVectorField()),
            ],
        ),
        migrations.AddField(
            model_name='submission',
            name='submitted_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='submission',
            name='supersedes',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='superseded_by', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='reproduction',
            name='first',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='agreeing_later', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='reproduction',
            name='second',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='agreeing_before', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='report',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='packentry',
            name='submission',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='pack_entries', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='nodegroup',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='node_groups', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='moderationdecision',
            name='submission',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='decisions', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='loadpoint',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='load_points', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='levelchange',
            name='after',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='level_changes', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='change',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='artifact',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='artifacts', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='shortlink',
            name='created_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='sitecount',
            index=models.Index(fields=['kind', 'key'], name='site_counts_of_a_kind'),
        ),
        migrations.AddField(
            model_name='trial',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trials', to='submissions.submission'),
        ),
        migrations.AddField(
            model_name='upload',
            name='batch',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='submissions.upload'),
        ),
        migrations.AddField(
            model_name='upload',
            name='owner',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='upload',
            name='submissions',
            field=models.ManyToManyField(blank=True, to='submissions.submission'),
        ),
        migrations.CreateModel(
            name='WatchedWorkload',
            fields=[
                ('workload', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='submissions.workload')),
                ('state', models.CharField(blank=True, max_length=50)),
                ('checked_at', models.DateTimeField(null=True)),
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
        migrations.AddIndex(
            model_name='workload',
            index=django.contrib.postgres.indexes.GinIndex(fields=['former_fingerprints'], name='former_fingerprints'),
        ),
        migrations.AddIndex(
            model_name='workload',
            index=django.contrib.postgres.indexes.GinIndex(models.Func(models.F('title'), function='submissions_search_words', output_field=django.contrib.postgres.search.SearchVectorField()), name='words_of_workloads'),
        ),
        migrations.AddField(
            model_name='submission',
            name='workload',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='submissions.workload'),
        ),
        migrations.AddField(
            model_name='levelchange',
            name='workload',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='level_changes', to='submissions.workload'),
        ),
        migrations.AddField(
            model_name='follow',
            name='workload',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='follows', to='submissions.workload'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='workload',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='fe191a98274638ee366dc8d2263ccebdc4dac2d3', operation='UPDATE', pgid='pgtrigger_version_on_update_f78b5', table='submissions_workload', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='workload',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='de388b57ef1b33f2f93c12c5d6a69844f20d9217', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_3ced9', table='submissions_workload', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='workload',
            trigger=pgtrigger.compiler.Trigger(name='queue_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_queue_changes('{}', NEW.id); RETURN NULL;", hash='4526564c57f57deb64769bbed7ca579b16309ff3', operation='UPDATE', pgid='pgtrigger_queue_update_9a0ce', table='submissions_workload', when='AFTER')),
        ),
        migrations.AddConstraint(
            model_name='accountusage',
            constraint=models.UniqueConstraint(fields=('account', 'since'), name='one_usage_a_span'),
        ),
        migrations.AddConstraint(
            model_name='acknowledgement',
            constraint=models.UniqueConstraint(fields=('change', 'user'), name='acknowledged_once'),
        ),
        migrations.AddIndex(
            model_name='notice',
            index=models.Index(condition=models.Q(('mail', 'waiting'), ('webhook', 'waiting'), _connector='OR'), fields=['created_at'], name='waiting_notices'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.UniqueConstraint(fields=('follow', 'quiet_since'), name='one_notice_of_a_silence'),
        ),
        migrations.AddIndex(
            model_name='followedchange',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['follow'], name='pending_changes'),
        ),
        migrations.AddConstraint(
            model_name='followedchange',
            constraint=models.UniqueConstraint(fields=('follow', 'change'), name='one_decision_about_a_change'),
        ),
        migrations.AddIndex(
            model_name='searchentry',
            index=django.contrib.postgres.indexes.GinIndex(fields=['words'], gin_pending_list_limit=512, name='words_of_submissions'),
        ),
        migrations.AddConstraint(
            model_name='reproduction',
            constraint=models.UniqueConstraint(fields=('first', 'second'), name='one_reproduction_a_pair'),
        ),
        migrations.AddConstraint(
            model_name='reproduction',
            constraint=models.CheckConstraint(condition=models.Q(('first__lt', models.F('second'))), name='first_was_stored_before_second'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='reproduction',
            trigger=pgtrigger.compiler.Trigger(name='version_on_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='ee88403a030fafb8ba01f877deb11f00536f85e2', level='STATEMENT', operation='INSERT', pgid='pgtrigger_version_on_insert_02983', table='submissions_reproduction', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='reproduction',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='756f9ea6aa32e36c4ea8b5c98507d25c8586a065', operation='UPDATE', pgid='pgtrigger_version_on_update_ddb80', table='submissions_reproduction', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='reproduction',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='a6ce8da84fca3a3e9aa2cdcb44e7b5ecb6fb671a', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_cfc2a', table='submissions_reproduction', when='AFTER')),
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(condition=models.Q(('resolved_at', None)), fields=['submission'], name='open_reports'),
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(fields=['address_hash', 'created_at'], name='reports_of_an_address'),
        ),
        migrations.AddConstraint(
            model_name='packentry',
            constraint=models.UniqueConstraint(fields=('pack', 'key'), name='pack_entry_once'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='packentry',
            trigger=pgtrigger.compiler.Trigger(name='version_on_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='819a9b989e826d43151fca6ec370b3eb60654769', level='STATEMENT', operation='INSERT', pgid='pgtrigger_version_on_insert_de0c0', table='submissions_packentry', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='packentry',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='54dc67a42813386018be44a71484a541179ce73b', operation='UPDATE', pgid='pgtrigger_version_on_update_70f6c', table='submissions_packentry', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='packentry',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='c1f4f73a456c827871e174cf2d018f03d1bae7d7', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_24128', table='submissions_packentry', when='AFTER')),
        ),
        migrations.AddConstraint(
            model_name='nodegroup',
            constraint=models.UniqueConstraint(fields=('submission', 'position'), name='one_group_a_position'),
        ),
        migrations.AddConstraint(
            model_name='nodegroup',
            constraint=models.CheckConstraint(condition=models.Q(('count__gte', 1)), name='group_has_nodes'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='nodegroup',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='fe5bf46f652cbf72aba2d163983f62c9ef8e23b3', operation='UPDATE', pgid='pgtrigger_version_on_update_d2b83', table='submissions_nodegroup', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='nodegroup',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='8e93a82bafba771ddf24fe4dfaa3a6521f2aabd5', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_028b1', table='submissions_nodegroup', when='AFTER')),
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
            model_name='moderationdecision',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='4219178dda64d302bb3c72824c2ac15900815a13', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_e7cd4', table='submissions_moderationdecision', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='moderationdecision',
            trigger=pgtrigger.compiler.Trigger(name='version_on_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='e89294f875942aacb915f9ac1bdcfd647ee33f52', level='STATEMENT', operation='INSERT', pgid='pgtrigger_version_on_insert_30dcd', table='submissions_moderationdecision', when='AFTER')),
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
            model_name='change',
            trigger=pgtrigger.compiler.Trigger(name='version_on_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='404fd523171ce8855ac00f76348c0ddba9814e6a', level='STATEMENT', operation='INSERT', pgid='pgtrigger_version_on_insert_98c36', table='submissions_change', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='change',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='2af0822297fa0ce5cac8029ef44952d4c3fd6b80', operation='UPDATE', pgid='pgtrigger_version_on_update_84d5f', table='submissions_change', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='change',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='87634e1cbe8ebe43e8839aea5ca15dc3f2c13c24', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_1672f', table='submissions_change', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='artifact',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='c2b2e75aac41684952808dbf5ab3bc4e4aced390', operation='UPDATE', pgid='pgtrigger_version_on_update_089db', table='submissions_artifact', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='artifact',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('pages'); RETURN NULL;", hash='fdb9259074c0a0402120575832789afb9863cbf1', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_2d0aa', table='submissions_artifact', when='AFTER')),
        ),
        migrations.AddConstraint(
            model_name='shortlink',
            constraint=models.CheckConstraint(condition=models.Q(('path__regex', '^/([^/\\\\][^\\\\]*)?$')), name='short_link_stays_here'),
        ),
        migrations.AddConstraint(
            model_name='trial',
            constraint=models.UniqueConstraint(fields=('submission', 'index'), name='one_trial_an_index'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='trial',
            trigger=pgtrigger.compiler.Trigger(name='version_on_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='c4a24e4a2e8f5e33de5c7b6e90b5805a3f0cc6ff', operation='UPDATE', pgid='pgtrigger_version_on_update_ecf76', table='submissions_trial', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='trial',
            trigger=pgtrigger.compiler.Trigger(name='version_on_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM submissions_new_version('data'); RETURN NULL;", hash='843049a54b175c8edd95f03135186cb84273025a', level='STATEMENT', operation='DELETE', pgid='pgtrigger_version_on_delete_a4184', table='submissions_trial', when='AFTER')),
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
            model_name='upload',
            index=models.Index(models.F('created_at'), condition=models.Q(('status__in', ['queued', 'running'])), name='upload_waiting'),
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
            model_name='submission',
            index=models.Index(models.OrderBy(models.F('throughput_ops_s'), descending=True, nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='by_throughput'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.OrderBy(models.F('ops_per_usd'), descending=True, nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='by_ops_per_usd'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.OrderBy(models.F('measured_at'), descending=True, nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='by_measured_at'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.OrderBy(models.F('latency_p99_at_most_ms'), nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='by_p99_at_most'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.OrderBy(models.F('hourly_usd'), nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='by_hourly_usd'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.OrderBy(models.F('usd_per_million_ops'), nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='by_usd_per_million_ops'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.OrderBy(models.F('node_count'), nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='by_node_count'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['service', 'id'], name='facet_service'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['provider', 'id'], name='facet_provider'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['region', 'id'], name='facet_region'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['instance_type', 'id'], name='facet_instance_type'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['jdk_version', 'id'], name='facet_jdk_version'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['disk_kind', 'id'], name='facet_disk_kind'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['tool', 'id'], name='facet_tool'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['trust', 'id'], name='facet_trust'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=django.contrib.postgres.indexes.GinIndex(fields=['flags'], name='facet_flags'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.F('workload'), models.OrderBy(models.F('ops_per_usd'), descending=True, nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='by_workload_value'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.F('workload'), models.OrderBy(models.F('throughput_ops_s'), descending=True, nulls_last=True), models.OrderBy(models.F('id'), descending=True), name='by_workload_throughput'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.F('workload'), models.F('hourly_usd'), models.OrderBy(models.F('throughput_ops_s'), descending=True), models.F('id'), name='by_workload_cost'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('flags__contains', [submissions.choices.Flag['THROTTLED']])), fields=['workload'], name='throttled_of_a_workload'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['workload', 'configuration'], name='runs_of_a_configuration'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('unranked_until__isnull', False)), fields=['submitted_by', '-unranked_until'], name='waiting_of_an_account'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['workload', '-id'], name='newest_of_a_workload'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('attribution', ''), _negated=True), fields=['workload', 'attribution'], name='attributions_of_a_workload'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.F('workload'), models.OrderBy(models.F('throughput_ops_s'), descending=True, nulls_last=True), condition=models.Q(('trust', 'uploaded'), _negated=True), name='with_log_by_throughput'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.F('workload'), models.OrderBy(models.F('ops_per_usd'), descending=True, nulls_last=True), condition=models.Q(('trust', 'uploaded'), _negated=True), name='with_log_by_value'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['workload', 'instance_type', 'node_count', 'threads'], name='points_of_a_line'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('throughput_ops_s__isnull', True)), fields=['workload', 'relative_base'], name='relative_results'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('retracted_at__isnull', False)), fields=['retracted_at'], name='retractions'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('supersedes__isnull', False)), fields=['supersedes'], include=('visibility', 'embargo_until', 'hidden_at', 'retracted_at'), name='successors_as_public'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['-published_at', '-id'], name='publications'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('embargo_until__isnull', False)), fields=['embargo_until'], name='times_embargo_until'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('unranked_until__isnull', False)), fields=['unranked_until'], name='times_unranked_until'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('published_at__gt', models.F('created_at'))), fields=['published_at'], name='published_later'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(('throughput_ops_s__isnull', True), ('throughput_ops_s__gt', 0), _connector='OR'), name='throughput_is_positive'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(('throughput_ops_s__isnull', False), ('relative_throughput__isnull', False), _connector='OR'), name='absolute_or_relative_throughput'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(('hourly_usd__isnull', True), ('hourly_usd__gt', 0), _connector='OR'), name='cost_is_positive'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(('node_count__gte', 1)), name='has_database_nodes'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(fields=('content_hash', 'submitted_by'), name='one_content_an_owner', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(condition=models.Q(('link_key__isnull', False)), fields=('link_key',), name='one_link_key'),
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
            trigger=pgtrigger.compiler.Trigger(name='queue_new', sql=pgtrigger.compiler.UpsertTriggerSql(func='PERFORM submissions_queue_new(array_agg(id), array_agg(supersedes_id)) FROM new_rows; RETURN NULL;', hash='0d2349c91d0e44699de420b3fa3c6367ebd4792a', level='STATEMENT', operation='INSERT', pgid='pgtrigger_queue_new_b33e6', referencing='REFERENCING NEW TABLE AS new_rows ', table='submissions_submission', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='submission',
            trigger=pgtrigger.compiler.Trigger(name='queue_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."architecture" IS DISTINCT FROM (NEW."architecture") OR OLD."at_slo" IS DISTINCT FROM (NEW."at_slo") OR OLD."attribution" IS DISTINCT FROM (NEW."attribution") OR OLD."averaged_over" IS DISTINCT FROM (NEW."averaged_over") OR OLD."bill" IS DISTINCT FROM (NEW."bill") OR OLD."bill_usd" IS DISTINCT FROM (NEW."bill_usd") OR OLD."cache_node_count" IS DISTINCT FROM (NEW."cache_node_count") OR OLD."client_count" IS DISTINCT FROM (NEW."client_count") OR OLD."client_placement" IS DISTINCT FROM (NEW."client_placement") OR OLD."consistency_level" IS DISTINCT FROM (NEW."consistency_level") OR OLD."cpu_model" IS DISTINCT FROM (NEW."cpu_model") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."disk_kind" IS DISTINCT FROM (NEW."disk_kind") OR OLD."document" IS DISTINCT FROM (NEW."document") OR OLD."embargo_until" IS DISTINCT FROM (NEW."embargo_until") OR OLD."errors" IS DISTINCT FROM (NEW."errors") OR OLD."fixed_rate_ops_s" IS DISTINCT FROM (NEW."fixed_rate_ops_s") OR OLD."flags" IS DISTINCT FROM (NEW."flags") OR OLD."hidden_at" IS DISTINCT FROM (NEW."hidden_at") OR OLD."hourly_usd" IS DISTINCT FROM (NEW."hourly_usd") OR OLD."instance_type" IS DISTINCT FROM (NEW."instance_type") OR OLD."is_price_stated" IS DISTINCT FROM (NEW."is_price_stated") OR OLD."jdk_vendor" IS DISTINCT FROM (NEW."jdk_vendor") OR OLD."jdk_version" IS DISTINCT FROM (NEW."jdk_version") OR OLD."latency_kind" IS DISTINCT FROM (NEW."latency_kind") OR OLD."latency_max_ms" IS DISTINCT FROM (NEW."latency_max_ms") OR OLD."latency_mean_ms" IS DISTINCT FROM (NEW."latency_mean_ms") OR OLD."latency_p50_ms" IS DISTINCT FROM (NEW."latency_p50_ms") OR OLD."latency_p95_ms" IS DISTINCT FROM (NEW."latency_p95_ms") OR OLD."latency_p999_ms" IS DISTINCT FROM (NEW."latency_p999_ms") OR OLD."latency_p99_at_most_ms" IS DISTINCT FROM (NEW."latency_p99_at_most_ms") OR OLD."latency_p99_bound_of" IS DISTINCT FROM (NEW."latency_p99_bound_of") OR OLD."latency_p99_is_bound" IS DISTINCT FROM (NEW."latency_p99_is_bound") OR OLD."latency_p99_ms" IS DISTINCT FROM (NEW."latency_p99_ms") OR OLD."license" IS DISTINCT FROM (NEW."license") OR OLD."link_key" IS DISTINCT FROM (NEW."link_key") OR OLD."load_mode" IS DISTINCT FROM (NEW."load_mode") OR OLD."machine_family" IS DISTINCT FROM (NEW."machine_family") OR OLD."measured_at" IS DISTINCT FROM (NEW."measured_at") OR OLD."measured_at_source" IS DISTINCT FROM (NEW."measured_at_source") OR OLD."memory_gib" IS DISTINCT FROM (NEW."memory_gib") OR OLD."network_encryption" IS DISTINCT FROM (NEW."network_encryption") OR OLD."network_kind" IS DISTINCT FROM (NEW."network_kind") OR OLD."node_count" IS DISTINCT FROM (NEW."node_count") OR OLD."notes" IS DISTINCT FROM (NEW."notes") OR OLD."operation" IS DISTINCT FROM (NEW."operation") OR OLD."operations" IS DISTINCT FROM (NEW."operations") OR OLD."ops_per_usd" IS DISTINCT FROM (NEW."ops_per_usd") OR OLD."pack" IS DISTINCT FROM (NEW."pack") OR OLD."price_date" IS DISTINCT FROM (NEW."price_date") OR OLD."price_last_seen" IS DISTINCT FROM (NEW."price_last_seen") OR OLD."price_missing" IS DISTINCT FROM (NEW."price_missing") OR OLD."pricing_model" IS DISTINCT FROM (NEW."pricing_model") OR OLD."provider" IS DISTINCT FROM (NEW."provider") OR OLD."published_at" IS DISTINCT FROM (NEW."published_at") OR OLD."region" IS DISTINCT FROM (NEW."region") OR OLD."relative_base" IS DISTINCT FROM (NEW."relative_base") OR OLD."relative_throughput" IS DISTINCT FROM (NEW."relative_throughput") OR OLD."replication_factor" IS DISTINCT FROM (NEW."replication_factor") OR OLD."retracted_at" IS DISTINCT FROM (NEW."retracted_at") OR OLD."retraction_reason" IS DISTINCT FROM (NEW."retraction_reason") OR OLD."series" IS DISTINCT FROM (NEW."series") OR OLD."service" IS DISTINCT FROM (NEW."service") OR OLD."service_version" IS DISTINCT FROM (NEW."service_version") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_url" IS DISTINCT FROM (NEW."source_url") OR OLD."submitted_by_id" IS DISTINCT FROM (NEW."submitted_by_id") OR OLD."supersedes_id" IS DISTINCT FROM (NEW."supersedes_id") OR OLD."threads" IS DISTINCT FROM (NEW."threads") OR OLD."throttle_ops_s" IS DISTINCT FROM (NEW."throttle_ops_s") OR OLD."throughput_cv" IS DISTINCT FROM (NEW."throughput_cv") OR OLD."throughput_high_ops_s" IS DISTINCT FROM (NEW."throughput_high_ops_s") OR OLD."throughput_low_ops_s" IS DISTINCT FROM (NEW."throughput_low_ops_s") OR OLD."throughput_ops_s" IS DISTINCT FROM (NEW."throughput_ops_s") OR OLD."title" IS DISTINCT FROM (NEW."title") OR OLD."tool" IS DISTINCT FROM (NEW."tool") OR OLD."tool_version" IS DISTINCT FROM (NEW."tool_version") OR OLD."trials_count" IS DISTINCT FROM (NEW."trials_count") OR OLD."trust" IS DISTINCT FROM (NEW."trust") OR OLD."unranked_at" IS DISTINCT FROM (NEW."unranked_at") OR OLD."unranked_until" IS DISTINCT FROM (NEW."unranked_until") OR OLD."usd_per_million_ops" IS DISTINCT FROM (NEW."usd_per_million_ops") OR OLD."vcpus" IS DISTINCT FROM (NEW."vcpus") OR OLD."visibility" IS DISTINCT FROM (NEW."visibility") OR OLD."workload_id" IS DISTINCT FROM (NEW."workload_id") OR OLD."zones" IS DISTINCT FROM (NEW."zones"))', func='PERFORM submissions_queue_changes(ARRAY[NEW.id, OLD.supersedes_id, NEW.supersedes_id], OLD.workload_id); RETURN NULL;', hash='81266b951fb2ea41fc0a8d564411383bb335abc7', operation='UPDATE', pgid='pgtrigger_queue_update_5e6f2', table='submissions_submission', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='submission',
            trigger=pgtrigger.compiler.Trigger(name='queue_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='PERFORM submissions_queue_changes(ARRAY[OLD.supersedes_id], OLD.workload_id); RETURN NULL;', hash='946c6fa7cefe00adda42fb67895631b8af835e4d', operation='DELETE', pgid='pgtrigger_queue_delete_0823e', table='submissions_submission', when='AFTER')),
        ),
        migrations.AddIndex(
            model_name='levelchange',
            index=models.Index(fields=['first_after', 'metric'], name='first_of_a_change'),
        ),
        migrations.AddConstraint(
            model_name='levelchange',
            constraint=models.UniqueConstraint(fields=('workload', 'cluster', 'metric', 'latency_kind', 'after'), name='one_change_at_a_result'),
        ),
        migrations.AddIndex(
            model_name='follow',
            index=models.Index(condition=models.Q(('paused_at', None)), fields=['workload'], name='active_follows'),
        ),
        migrations.AddConstraint(
            model_name='follow',
            constraint=models.UniqueConstraint(fields=('user', 'workload', 'cluster', 'filters'), name='follows_once'),
        ),
        migrations.AddConstraint(
            model_name='follow',
            constraint=models.CheckConstraint(condition=models.Q(('threshold_percent', None), ('threshold_percent__gt', 0), _connector='OR'), name='follow_threshold_is_positive'),
        ),
        migrations.AddConstraint(
            model_name='follow',
            constraint=models.CheckConstraint(condition=models.Q(('quiet_after_days', None), ('quiet_after_days__gt', 0), _connector='OR'), name='follow_quiet_is_positive'),
        ),
        migrations.AddIndex(
            model_name='aggregate',
            index=models.Index(models.F('kind'), models.OrderBy(models.F('orders__0'), descending=True), name='aggregates_by_order'),
        ),
        migrations.AddIndex(
            model_name='aggregate',
            index=models.Index(models.F('kind'), models.OrderBy(models.F('numbers__0'), descending=True), models.OrderBy(models.F('orders__0'), descending=True), name='aggregates_by_number'),
        ),
        migrations.RunSQL(all_functions(), migrations.RunSQL.noop),
    ]
