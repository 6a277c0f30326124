"""The command line: ``gramian compare table.csv --target y``."""

import sys
import time
from importlib.util import find_spec

__all__ = ["main"]

_STARTED = time.monotonic()
_EXTRA = ("typer", "rich", "jinja2", "polars")


def main() -> None:
    """Run the command line; the entry point of the console script ``gramian``."""
    missing = [package for package in _EXTRA if find_spec(package) is None]
    if missing:
        print(
            f"gramian: the command line needs {', '.join(missing)}; "
            "install with: pip install 'gramian[cli]'",
            file=sys.stderr,
        )
        raise SystemExit(2)
    from gramian.cli._app import run

    raise SystemExit(run(sys.argv[1:], _STARTED))
