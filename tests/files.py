"""Real outputs of load tools, as a browser would send them."""

from pathlib import Path

from django.core.files.uploadedfile import SimpleUploadedFile

DATA = Path(__file__).parent / "data"


def stress_log(start: str) -> Path:
    """The one cassandra-stress file whose name starts so."""
    folder = DATA / "cassandra-stress"
    [path] = [path for path in folder.iterdir() if path.name.startswith(start) and path.suffix != ".cmd"]
    return path


def uploaded(path: Path) -> SimpleUploadedFile:
    return SimpleUploadedFile(path.name, path.read_bytes())
