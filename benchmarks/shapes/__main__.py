"""Command line of the benchmark at drawn shapes."""

import argparse
import sys
import zlib
from pathlib import Path

from benchmarks._machine import machine_facts
from benchmarks._row import OURS
from benchmarks._table import ratio_text
from benchmarks.shapes.contest import Arena, Outcome
from benchmarks.shapes.draw import draw_shape
from benchmarks.shapes.peers import Duel, duels
from benchmarks.shapes.summary import draw_picture, losses, summary_table, troubles


def main() -> int:
    """Measure the models asked for, and print means, worst shapes and losses."""
    arguments = _parse()
    found = list(duels(tuple(arguments.models)))
    if not found:
        print(f"No model with a peer has {' or '.join(arguments.models)} in its name.")
        return 2
    print("\n".join(f"{key}: {value}" for key, value in machine_facts().items()), file=sys.stderr)
    outcomes: list[Outcome] = []
    with Arena(arguments.turns) as arena:
        for duel in found:
            for number in range(arguments.count):
                outcomes.append(arena.meet(duel, _shape_of(duel, arguments.seed, number)))
                print(_progress(outcomes[-1]), file=sys.stderr, flush=True)
    _show(outcomes, arguments.picture)
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shapes", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="NAME", help="part of a model's name; all")
    parser.add_argument("--count", type=int, default=8, metavar="N", help="shapes (default 8)")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="of the shapes (default 0)"
    )
    parser.add_argument("--turns", type=int, default=3, metavar="N", help="best of N (default 3)")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="write an SVG")
    return parser.parse_args()


def _shape_of(duel: Duel, seed: int, number: int) -> object:
    # Other shapes for each model, the same ones for one seed and name.
    return draw_shape(seed ^ zlib.crc32(duel.name.encode()), number, duel.most_rows)


def _show(outcomes: list[Outcome], picture: Path | None) -> None:
    peers = dict.fromkeys(label for item in outcomes for label in item.seconds if label != OURS)
    for peer in peers:
        table = summary_table(outcomes, peer)
        if table.rows:
            table.show()
    print("\n".join(["", "Slower than a peer:", *(losses(outcomes, list(peers)) or ["none"])]))
    print("\n".join(["", "Refused, or a lower score:", *(troubles(outcomes) or ["none"])]))
    if picture is not None:
        draw_picture(outcomes, next(iter(peers)), picture)


def _progress(outcome: Outcome) -> str:
    peers = [label for label in outcome.seconds if label != OURS]
    cells = [
        f"{label} "
        + " ".join(ratio_text(outcome.ratio(call, label)) for call in ("fit", "predict"))
        for label in peers
    ]
    refused = [f"{label}: {text.splitlines()[-1]}" for label, text in outcome.refusals.items()]
    return f"{outcome.duel} {outcome.shape}: {', '.join(cells + refused)}"


if __name__ == "__main__":
    sys.exit(main())
