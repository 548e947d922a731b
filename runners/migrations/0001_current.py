"""The tables as they are now; a site that has applied all of `replaces` has them."""

import django.db.models.deletion
import runners.choices
import submissions.choices
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('runners', '0001_initial'),
        ('runners', '0002_cloud_access_and_notices'),
        ('runners', '0003_original_of_masked_outputs'),
        ('runners', '0004_visibility_of_results'),
        ('runners', '0005_sweeps_and_blocked_runs'),
        ('runners', '0006_holds_and_troubles'),
        ('runners', '0007_diagnosis_of_runs'),
        ('runners', '0008_volume_links'),
        ('runners', '0009_replaced_nodes'),
        ('runners', '0010_series_and_schedules'),
        ('runners', '0011_shared_clusters'),
    ]

    dependencies = [
        ('submissions', '0001_current'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Sweep',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('account', models.CharField(max_length=700, unique=True)),
                ('at', models.DateTimeField()),
                ('found', models.PositiveIntegerField()),
                ('removed', models.JSONField(default=list)),
                ('remaining', models.JSONField(default=list)),
                ('unseen', models.JSONField(default=dict)),
                ('error', models.CharField(blank=True, max_length=1000)),
            ],
            options={
                'ordering': ['account'],
            },
        ),
        migrations.CreateModel(
            name='CloudAccess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=50)),
                ('principal', models.CharField(max_length=600)),
                ('external_id', models.CharField(max_length=40)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('removed_at', models.DateTimeField(null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='cloud_accesses', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=runners.choices.RunStatus.pairs, default=runners.choices.RunStatus['PLANNED'], max_length=20)),
                ('end_reason', models.CharField(choices=runners.choices.EndReason.pairs, max_length=20, null=True)),
                ('end_detail', models.CharField(blank=True, max_length=1000)),
                ('provider', models.CharField(max_length=50)),
                ('plan', models.JSONField()),
                ('estimate', models.JSONField(null=True)),
                ('max_usd', models.DecimalField(decimal_places=4, max_digits=12)),
                ('worst_case_usd', models.DecimalField(decimal_places=4, max_digits=12, null=True)),
                ('tag', models.CharField(max_length=63, unique=True)),
                ('launch_tag', models.CharField(blank=True, db_default='', default='', max_length=63)),
                ('state', models.JSONField(default=dict)),
                ('progress', models.JSONField(default=dict)),
                ('receipt', models.JSONField(null=True)),
                ('diagnosis', models.JSONField(null=True)),
                ('ssh_key', models.BinaryField(null=True)),
                ('host_key', models.BinaryField(null=True)),
                ('due_at', models.DateTimeField(null=True)),
                ('held_until', models.DateTimeField(null=True)),
                ('held_by', models.CharField(max_length=20, null=True)),
                ('troubles', models.PositiveIntegerField(db_default=0, default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('confirmed_at', models.DateTimeField(null=True)),
                ('launched_at', models.DateTimeField(null=True)),
                ('deadline_at', models.DateTimeField(null=True)),
                ('expires_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('cancel_requested_at', models.DateTimeField(null=True)),
                ('blocked_since', models.DateTimeField(null=True)),
                ('visibility', models.CharField(choices=submissions.choices.Visibility.pairs, default=submissions.choices.Visibility['PUBLIC'], max_length=10)),
                ('embargo_until', models.DateTimeField(null=True)),
                ('notify_url', models.URLField(blank=True, max_length=500)),
                ('notify_email', models.BooleanField(default=False)),
                ('cloud_access', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='runners.cloudaccess')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to=settings.AUTH_USER_MODEL)),
                ('submission', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='submissions.submission')),
                ('took_over_from', models.OneToOneField(null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='handed_over_to', to='runners.run')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='RunEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('kind', models.CharField(choices=runners.choices.EventKind.pairs, default=runners.choices.EventKind['STATUS'], max_length=10)),
                ('old_status', models.CharField(choices=runners.choices.RunStatus.pairs, max_length=20, null=True)),
                ('new_status', models.CharField(choices=runners.choices.RunStatus.pairs, max_length=20, null=True)),
                ('message', models.CharField(blank=True, max_length=1000)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='runners.run')),
            ],
            options={
                'ordering': ['run_id', 'id'],
            },
        ),
        migrations.CreateModel(
            name='RunNode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=50)),
                ('role', models.CharField(choices=submissions.choices.Role.pairs, max_length=20)),
                ('index', models.PositiveIntegerField()),
                ('zone', models.CharField(max_length=50, null=True)),
                ('instance_type', models.CharField(max_length=100)),
                ('state', models.CharField(choices=runners.choices.NodeState.pairs, default=runners.choices.NodeState['REQUESTED'], max_length=20)),
                ('provider_id', models.CharField(max_length=200, null=True)),
                ('address', models.CharField(max_length=100, null=True)),
                ('private_address', models.CharField(max_length=100, null=True)),
                ('volume_links', models.JSONField(default=list)),
                ('facts', models.JSONField(default=dict)),
                ('hourly_usd', models.DecimalField(decimal_places=8, max_digits=16, null=True)),
                ('requested_at', models.DateTimeField(auto_now_add=True)),
                ('launched_at', models.DateTimeField(null=True)),
                ('terminated_at', models.DateTimeField(null=True)),
                ('replaced_at', models.DateTimeField(null=True)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='nodes', to='runners.run')),
            ],
            options={
                'ordering': ['run_id', 'role', 'index'],
            },
        ),
        migrations.CreateModel(
            name='RunOutput',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('trial', models.PositiveSmallIntegerField(null=True)),
                ('kind', models.CharField(max_length=20)),
                ('path', models.CharField(max_length=500)),
                ('offset_bytes', models.BigIntegerField(default=0)),
                ('tail', models.TextField(blank=True)),
                ('series', models.JSONField(default=list)),
                ('name', models.CharField(blank=True, max_length=255)),
                ('sha256', models.CharField(max_length=64, null=True)),
                ('size_bytes', models.BigIntegerField(null=True)),
                ('original_sha256', models.CharField(max_length=64, null=True)),
                ('node', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outputs', to='runners.runnode')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outputs', to='runners.run')),
            ],
            options={
                'ordering': ['run_id', 'trial', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Schedule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=300)),
                ('plan', models.JSONField(null=True)),
                ('order', models.JSONField(null=True)),
                ('every', models.CharField(choices=runners.choices.Every.pairs, max_length=4)),
                ('hour', models.PositiveSmallIntegerField()),
                ('weekday', models.PositiveSmallIntegerField(null=True)),
                ('max_usd_month', models.DecimalField(decimal_places=4, max_digits=12)),
                ('due_at', models.DateTimeField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('paused_at', models.DateTimeField(null=True)),
                ('paused_because', models.CharField(blank=True, max_length=1000)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='schedules', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Series',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=300)),
                ('status', models.CharField(choices=runners.choices.SeriesStatus.pairs, default=runners.choices.SeriesStatus['QUEUED'], max_length=10)),
                ('plan', models.JSONField()),
                ('vary', models.JSONField()),
                ('repetitions', models.PositiveSmallIntegerField()),
                ('order', models.CharField(choices=runners.choices.CellOrder.pairs, default=runners.choices.CellOrder['INTERLEAVED'], max_length=11)),
                ('clusters', models.CharField(choices=runners.choices.Clusters.pairs, default=runners.choices.Clusters['SHARED'], max_length=8)),
                ('max_usd', models.DecimalField(decimal_places=4, max_digits=12)),
                ('max_minutes', models.PositiveIntegerField()),
                ('estimate', models.JSONField()),
                ('visibility', models.CharField(choices=submissions.choices.Visibility.pairs, default=submissions.choices.Visibility['PUBLIC'], max_length=10)),
                ('embargo_until', models.DateTimeField(null=True)),
                ('notify_email', models.BooleanField(default=False)),
                ('due_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('cancel_requested_at', models.DateTimeField(null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='series', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'series',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='ScheduleTurn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('due_at', models.DateTimeField()),
                ('begun_at', models.DateTimeField()),
                ('has_result', models.BooleanField(null=True)),
                ('outcome', models.CharField(blank=True, max_length=1000)),
                ('run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='runners.run')),
                ('schedule', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='turns', to='runners.schedule')),
                ('series', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='runners.series')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='SeriesCell',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('repetition', models.PositiveSmallIntegerField()),
                ('values', models.JSONField()),
                ('plan', models.JSONField()),
                ('place', models.PositiveIntegerField()),
                ('round', models.PositiveSmallIntegerField(null=True)),
                ('is_current', models.BooleanField(default=True)),
                ('refusal', models.CharField(blank=True, max_length=1000)),
                ('run', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='series_cell', to='runners.run')),
                ('series', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cells', to='runners.series')),
            ],
            options={
                'ordering': ['series_id', 'place'],
            },
        ),
        migrations.AddConstraint(
            model_name='cloudaccess',
            constraint=models.UniqueConstraint(condition=models.Q(('removed_at', None)), fields=('owner', 'provider'), name='one_account_a_cloud'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('status__in', ['cancelled', 'failed', 'succeeded']), _negated=True), fields=['due_at'], name='run_due'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['owner', '-id'], name='run_owner'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('launch_tag', ''), _negated=True), fields=['launch_tag'], name='run_launch_tag'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status__in', ['cancelled', 'failed', 'succeeded']), _negated=True), ('end_reason__isnull', False), _connector='OR'), name='ended_for_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.CheckConstraint(condition=models.Q(('max_usd__gte', 0)), name='cap_is_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='runnode',
            constraint=models.UniqueConstraint(fields=('run', 'name'), name='one_node_a_name'),
        ),
        migrations.AddConstraint(
            model_name='runnode',
            constraint=models.UniqueConstraint(condition=models.Q(('provider_id__isnull', False)), fields=('run', 'provider_id'), name='one_node_a_machine'),
        ),
        migrations.AddConstraint(
            model_name='runnode',
            constraint=models.UniqueConstraint(condition=models.Q(('replaced_at', None)), fields=('run', 'role', 'index'), name='one_node_a_place'),
        ),
        migrations.AddConstraint(
            model_name='runoutput',
            constraint=models.UniqueConstraint(fields=('run', 'node', 'path'), name='one_output_a_path'),
        ),
        migrations.AddIndex(
            model_name='schedule',
            index=models.Index(condition=models.Q(('paused_at', None)), fields=['due_at'], name='schedule_due'),
        ),
        migrations.AddConstraint(
            model_name='schedule',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('order__isnull', False), ('plan__isnull', True)), models.Q(('order__isnull', True), ('plan__isnull', False)), _connector='OR'), name='a_plan_or_a_series'),
        ),
        migrations.AddIndex(
            model_name='series',
            index=models.Index(condition=models.Q(('status__in', ['cancelled', 'failed', 'partial', 'succeeded']), _negated=True), fields=['due_at'], name='series_due'),
        ),
        migrations.AddIndex(
            model_name='series',
            index=models.Index(fields=['owner', '-id'], name='series_owner'),
        ),
        migrations.AddConstraint(
            model_name='series',
            constraint=models.CheckConstraint(condition=models.Q(('max_usd__gte', 0)), name='series_cap_is_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='scheduleturn',
            constraint=models.UniqueConstraint(fields=('schedule', 'due_at'), name='one_turn_a_time'),
        ),
        migrations.AddConstraint(
            model_name='seriescell',
            constraint=models.UniqueConstraint(fields=('series', 'place'), name='one_cell_a_place'),
        ),
        migrations.AddConstraint(
            model_name='seriescell',
            constraint=models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('series', 'number', 'repetition'), name='one_current_attempt'),
        ),
    ]
