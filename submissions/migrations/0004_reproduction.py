import django.db.models.deletion
from django.db import migrations, models

import submissions.choices


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0003_short_links_and_datasets"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="own_trust",
            field=models.CharField(choices=submissions.choices.Trust.pairs, max_length=20, null=True),
        ),
        migrations.CreateModel(
            name="Reproduction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("found_at", models.DateTimeField(auto_now_add=True)),
                (
                    "first",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="agreeing_later",
                        to="submissions.submission",
                    ),
                ),
                (
                    "second",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="agreeing_before",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["first_id", "second_id"],
                "constraints": [
                    models.UniqueConstraint(fields=("first", "second"), name="one_reproduction_a_pair"),
                    models.CheckConstraint(
                        condition=models.Q(("first__lt", models.F("second"))),
                        name="first_was_stored_before_second",
                    ),
                ],
            },
        ),
    ]
