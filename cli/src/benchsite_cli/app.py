"""The commands of `benchsite`."""

import sys
from collections.abc import Sequence

import typer

from benchsite_cli import __version__, output
from benchsite_cli.commands.compare import compare
from benchsite_cli.commands.export import export
from benchsite_cli.commands.login import login
from benchsite_cli.commands.run import run
from benchsite_cli.commands.upload import upload
from benchsite_cli.commands.verify import verify
from benchsite_cli.errors import Failure

app = typer.Typer(
    name="benchsite",
    help="Upload, compare, run, export and verify database benchmarks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (login, upload, compare, run, export, verify):
    app.command()(command)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        output.write(f"benchsite-cli {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version"),
) -> None:
    """Upload, compare, run, export and verify database benchmarks."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Ends the process with the exit code of the command."""
    try:
        app(args=None if arguments is None else list(arguments))
    except Failure as error:
        output.complain(str(error))
        if request_id := getattr(error, "request_id", ""):
            output.complain(f"Request {request_id}")
        sys.exit(error.exit_code)
