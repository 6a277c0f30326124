"""The ratio table of benchmark results."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks._harness import PATIENCE_SECONDS, RowResult
from benchmarks._row import MODULES, OURS
from benchmarks._table import TextTable, bytes_text, excess_text, ratio_text, seconds_text

RESULTS = Path(__file__).parent / "RESULTS.md"
# Differences in memory below this are those of the allocator.
MEMORY_FLOOR = 1_000_000
LEGEND = f"""\
Ratios say how many times gramian's time or memory the peer needs: above 1x gramian is better. Each
contender runs in its own process; they take turns, each until it has used a minute; the best turn
counts. Memory is the peak during the call above what the process held before, data included; less
than {MEMORY_FLOOR // 10**6} MB counts as that much.
Excess is by which share the objective reached is worse than the best contender's (for fits that
interpolate: the squared norm of the coefficients). † left to scikit-learn by the peer.
Stopped: no answer within {PATIENCE_SECONDS:.0f} s, preparation included.
"""


def ratio_table(results: Sequence[RowResult]) -> TextTable:
    """Return one line per row: gramian's time and memory, the peers' ratios, all excesses."""
    labels = [*MODULES, *_other_labels(results)]
    peers = [label for label in labels if label != OURS]
    parts = ("time", "memory", "excess")
    headers = ["benchmark", *(f"{part} {label}" for part in parts for label in labels)]
    table = TextTable("Time, memory and objective against the peers", headers)
    for result in results:
        ours = result.results[OURS]
        table.rows.append(
            [
                result.name,
                seconds_text(ours.best),
                *(_mark(result, peer, ratio_text(result.speed_ratio(peer))) for peer in peers),
                bytes_text(ours.memory),
                *(ratio_text(result.memory_ratio(peer, MEMORY_FLOOR)) for peer in peers),
                *(excess_text(result.excess(label)) for label in labels),
            ]
        )
    return table


def failures(results: Sequence[RowResult]) -> list[str]:
    """Return a line for each contender that did not finish; missing libraries once."""
    lines: dict[str, None] = {}
    for result in results:
        for label, item in result.results.items():
            if item.failure is not None:
                where = label if item.failure.kind == "missing" else f"{result.name}, {label}"
                lines[f"{where}: {item.failure.message}"] = None
    return list(lines)


def has_failed(result: RowResult) -> bool:
    """Return whether a contender ended with an error; to be absent or too slow is none."""
    found = (item.failure for item in result.results.values())
    return any(failure is not None and failure.kind == "error" for failure in found)


def write_results(table: TextTable, facts: dict[str, str], n_turns: int) -> None:
    """Write the table with the facts about the machine to RESULTS.md."""
    described = "\n".join(f"- {key}: {value}" for key, value in facts.items())
    text = (
        "# Benchmark results\n\n"
        f"Made by `python -m benchmarks --write`, best of {n_turns} turns.\n\n"
        f"{described}\n\n{table.markdown()}\n{LEGEND}"
    )
    RESULTS.write_text(text, encoding="utf-8")


def _other_labels(results: Sequence[RowResult]) -> list[str]:
    found = dict.fromkeys(label for result in results for label in result.results)
    return [label for label in found if label not in MODULES]


def _mark(result: RowResult, peer: str, text: str) -> str:
    if result.is_slow(peer):
        return "stopped"
    return f"{text}†" if result.is_fallback(peer) else text
