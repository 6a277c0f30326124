"""Geometric means, worst shapes, and a picture of all."""

import math
from collections.abc import Sequence
from pathlib import Path

from benchmarks._row import OURS
from benchmarks._table import TextTable, ratio_text
from benchmarks.shapes.contest import CALLS, Outcome

SLOWER = 0.95  # below this ratio it is not noise
WORSE = 0.01  # a training score that is lower by more


def summary_table(outcomes: Sequence[Outcome], peer: str) -> TextTable:
    """Return for each model the geometric mean and the worst of the ratios of each call."""
    headers = [
        "model",
        "shapes",
        *(f"{call} {part}" for call in CALLS for part in ("mean", "worst")),
    ]
    table = TextTable(f"Times of {peer} over {OURS}'s at drawn shapes", headers)
    for name in dict.fromkeys(outcome.duel for outcome in outcomes):
        own = [outcome for outcome in outcomes if outcome.duel == name]
        ratios = {call: _ratios(own, call, peer) for call in CALLS}
        if any(ratios.values()):
            cells = [text for call in CALLS for text in _mean_and_worst(ratios[call])]
            table.rows.append([name, str(len(ratios["fit"])), *cells])
    return table


def losses(outcomes: Sequence[Outcome], peers: Sequence[str]) -> list[str]:
    """Return a line for each call that a peer wins, the worst first."""
    found = []
    for outcome in outcomes:
        for peer in peers:
            for call in CALLS:
                ratio = outcome.ratio(call, peer)
                if ratio is not None and ratio < SLOWER:
                    found.append((ratio, f"{outcome.duel} {call}: {peer}, {outcome.shape}"))
    return [f"{ratio_text(ratio)} {text}" for ratio, text in sorted(found)]


def troubles(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line for each shape that only we refuse, and each score below the best peer's."""
    lines = []
    for outcome in outcomes:
        if OURS in outcome.refusals and outcome.seconds:
            reason = outcome.refusals[OURS].splitlines()[-1]
            lines.append(f"{outcome.duel} refused {outcome.shape}: {reason}")
        ours = outcome.score.get(OURS, math.nan)
        peers = [score for label, score in outcome.score.items() if label != OURS]
        if peers and max(peers) - ours > WORSE:
            lines.append(
                f"{outcome.duel} scores {ours:.3f}, peers {max(peers):.3f}: {outcome.shape}"
            )
    return lines


def draw_picture(outcomes: Sequence[Outcome], peer: str, path: Path) -> None:
    """Write an SVG: ratio against rows, one dot a shape, a panel for fit and one for predict."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5), sharey=True, layout="constrained")
    for panel, call in zip(axes, ("fit", "predict"), strict=True):
        for name in dict.fromkeys(outcome.duel for outcome in outcomes):
            own = [outcome for outcome in outcomes if outcome.duel == name]
            dots = [(o.shape.n_rows, o.ratio(call, peer)) for o in own]
            dots = [(rows, ratio) for rows, ratio in dots if ratio is not None]
            if dots:
                panel.scatter(*zip(*dots, strict=True), s=12, alpha=0.7, label=name)
        panel.axhline(1.0, color="black", linewidth=0.8)
        panel.set(xscale="log", yscale="log", xlabel="rows", title=f"{call}: {peer} / {OURS}")
    if len(axes[0].get_legend_handles_labels()[0]) <= 12:
        axes[0].legend(fontsize=7)
    axes[0].set_ylabel("ratio of times")
    figure.savefig(path)


def _ratios(outcomes: Sequence[Outcome], call: str, peer: str) -> list[float]:
    ratios = (outcome.ratio(call, peer) for outcome in outcomes)
    return [ratio for ratio in ratios if ratio is not None]


def _mean_and_worst(ratios: Sequence[float]) -> tuple[str, str]:
    if not ratios:
        return "-", "-"
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return ratio_text(mean), ratio_text(min(ratios))
