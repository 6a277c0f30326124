"""Command line of the benchmark of defaults."""

import argparse
import json
import selectors
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from benchmarks import THREADS
from benchmarks.defaults.contenders import NAMES
from benchmarks.defaults.summary import summary_table, worst_table
from benchmarks.defaults.tables import table_names

Job = dict[str, Any]
KEY = ("label", "table", "hold_out", "most_rows")


class Worker:
    """The process of a contender, started when it is needed and again when it was too slow."""

    def __init__(self, python: str, limit: float) -> None:
        self._command = [python, "-m", "benchmarks.defaults.worker"]
        self._limit = limit
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def ask(self, job: Job) -> dict[str, Any]:
        """Return the answer to a job."""
        if self._process is None:
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True)
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        print(json.dumps(job), file=stdin, flush=True)
        with selectors.DefaultSelector() as waiting:
            waiting.register(stdout, selectors.EVENT_READ)
            line = stdout.readline() if waiting.select(self._limit) else None
        if not line:
            self._end()
            what = f"more than {self._limit:g} s" if line is None else "the process died"
            return {"failure": what}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def main() -> int:
    """Fit what is not in the file of results yet, then print the tables."""
    arguments = _parse()
    variants = json.loads(arguments.variants.read_text()) if arguments.variants else {}
    contenders = {name: (name, {}) for name in arguments.contenders}
    contenders |= {label: ("gramian", params) for label, params in variants.items()}
    tables = [n for n in table_names(arguments.folder) if _is_wanted(n, arguments)]
    done = _read(arguments.results)
    known = {_key(record) for record in done}
    for label, (name, params) in contenders.items():
        jobs = (job | {"contender": name, "params": params} for job in _jobs(arguments, tables))
        new = [job for job in jobs if _key(job | {"label": label}) not in known]
        with Worker(_python(name, arguments), arguments.limit) as worker:
            for job in new:
                record = {"label": label} | {key: job[key] for key in KEY[1:]} | worker.ask(job)
                done.append(record)
                print(_progress(record), file=sys.stderr, flush=True)
                with arguments.results.open("a") as file:
                    print(json.dumps(record), file=file)
    wanted = {_key(j | {"label": label}) for label in contenders for j in _jobs(arguments, tables)}
    _show([r for r in done if _key(r) in wanted], arguments.markdown)
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=__doc__)
    add = parser.add_argument
    add("folder", help="of the tables, with load.py")
    add("--results", type=Path, default=Path("defaults.jsonl"), help="resumed if it exists")
    add("--contenders", nargs="*", default=list(NAMES), choices=NAMES, metavar="NAME")
    add("--variants", type=Path, metavar="JSON", help="label -> parameters of our models")
    add("--python", default=sys.executable, help="of our models")
    add("--peers-python", default=sys.executable, help="of the others")
    add("--tables", nargs="*", metavar="NAME", help="only these")
    add("--without", nargs="*", default=[], metavar="NAME", help="not these")
    add("--rows", type=int, default=20_000, help="most rows of a table (default 20000)")
    add("--hold-outs", type=int, default=3, metavar="N", help="of each table (default 3)")
    add("--limit", type=float, default=600.0, metavar="SECONDS", help="of one fit (default 600)")
    add("--markdown", type=Path, metavar="FILE", help="write the tables")
    return parser.parse_args()


def _is_wanted(name: str, arguments: argparse.Namespace) -> bool:
    only = arguments.tables
    return (not only or name in only) and name not in arguments.without


def _python(name: str, arguments: argparse.Namespace) -> str:
    return str(arguments.python if name == "gramian" else arguments.peers_python)


def _jobs(arguments: argparse.Namespace, tables: list[str]) -> Iterator[Job]:
    """Yield the fits of one contender."""
    for table in tables:
        for number in range(arguments.hold_outs):
            yield {
                "folder": arguments.folder,
                "table": table,
                "hold_out": number,
                "most_rows": arguments.rows,
                "threads": THREADS,
            }


def _key(record: Job) -> tuple[Any, ...]:
    return tuple(record[name] for name in KEY)


def _read(path: Path) -> list[Job]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def _progress(record: Job) -> str:
    where = f"{record['label']} {record['table']} {record['hold_out']}"
    if "failure" in record:
        return f"{where}: {record['failure']}"
    return f"{where}: {record['error']:.4g} in {record['cpu_s']:.2f} s"


def _show(records: list[Job], markdown: Path | None) -> None:
    shown = [summary_table(records), worst_table(records)]
    for table in shown:
        table.show()
    if markdown is not None:
        parts = [f"### {table.title}\n\n{table.markdown()}" for table in shown]
        markdown.write_text("\n".join(parts))


if __name__ == "__main__":
    sys.exit(main())
