"""What charts draw of the intervals of a submission: made once, when they are stored."""

from django.db import models

from submissions.models.results.artifact import Artifact


class IntervalCurves(models.Model):
    """Of an interval file, in few points: no page opens the file. It can be made from the file again at any time."""

    artifact = models.OneToOneField(Artifact, on_delete=models.CASCADE, primary_key=True, related_name="curves")
    format = models.PositiveSmallIntegerField()  # of `content`: another one is made again in the background
    content = models.BinaryField()  # ingest/curves/interval_curves.py

    def __str__(self) -> str:
        return f"curves of file {self.artifact_id}"
