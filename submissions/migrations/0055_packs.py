"""Published runs become entries of the first pack; a pack can be removed. Results that it has loaded name it."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

# Nobody's alone: of an upload with the same content an entry names the upload.
_FILL = """
    UPDATE submissions_submission SET pack = 'public_runs'
    WHERE submitted_by_id IS NULL AND id IN (SELECT submission_id FROM submissions_packentry)
"""


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0054_machine_families_filled'),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(model_name='publicrun', name='version_on_insert'),
        pgtrigger.migrations.RemoveTrigger(model_name='publicrun', name='version_on_update'),
        pgtrigger.migrations.RemoveTrigger(model_name='publicrun', name='version_on_delete'),
        migrations.RenameModel(old_name='PublicRun', new_name='PackEntry'),
        migrations.AddField(
            model_name='packentry',
            name='pack',
            field=models.CharField(default='public_runs', max_length=50),
            preserve_default=False,
        ),
        migrations.AlterField(model_name='packentry', name='key', field=models.CharField(max_length=200)),
        migrations.AlterField(
            model_name='packentry',
            name='submission',
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name='pack_entries',
                to='submissions.submission',
            ),
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
            model_name='packentry',
            constraint=models.UniqueConstraint(fields=('pack', 'key'), name='pack_entry_once'),
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
        migrations.RunSQL(_FILL, migrations.RunSQL.noop),
    ]
