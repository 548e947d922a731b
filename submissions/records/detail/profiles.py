"""The CPU profiles of a run's database nodes, as flame graphs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from submissions.analysis.host_metrics.flame import Flame, flame
from submissions.choices import ArtifactKind
from submissions.formatting.charts import Chart
from submissions.formatting.figures import MOST_POINTS
from submissions.formatting.numbers import significant
from submissions.ingest.files.storage import open_stored
from submissions.models import Artifact
from submissions.records.curves.flame_chart import flame_figure

MOST_PROFILES = 3
MOST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Profile:
    key: str  # of its chart
    name: str  # of the file
    flame: Flame

    @property
    def hottest(self) -> Sequence[tuple[str, float]]:
        """Methods with their own share of the samples, in percent."""
        return [(name, 100 * share) for name, share in self.flame.hottest]

    @property
    def finding(self) -> str:
        name, share = self.hottest[0]
        return f"Most CPU time was spent in {name} itself: {significant(share)} % of {self.flame.samples:,} samples."

    @property
    def chart(self) -> Chart:
        frames = len(self.flame.frames)
        widest = f"The {MOST_POINTS} widest of {frames:,} frames are drawn." if frames > MOST_POINTS else ""
        table = "the table below has the methods with most samples"
        return Chart(self.key, flame_figure(self.flame), f"Flame graph of {self.name}", (widest,), table=table)


def profiles_of(artifacts: Iterable[Artifact]) -> tuple[Profile, ...]:
    """Those whose bytes are there; reads their files."""
    found: list[Profile] = []
    for artifact in [artifact for artifact in artifacts if artifact.kind == ArtifactKind.PROFILE][:MOST_PROFILES]:
        try:
            with open_stored(artifact.sha256) as stored:
                lines = stored.read(MOST_BYTES).decode(errors="replace").splitlines()
        except FileNotFoundError:
            continue
        if (shown := flame(lines)) and shown.hottest:
            found.append(Profile(f"profile-{len(found)}", artifact.name, shown))
    return tuple(found)
