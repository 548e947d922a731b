"""What the commands answer with instead of a traceback."""


class BackupError(Exception):
    """A backup or a restore cannot go on; the text is for the operator."""
