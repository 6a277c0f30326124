"""Diagnosis of t-SNE: the perplexity, the neighbours that were kept, and the end of the descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, Verdict, counted
from gramian.manifold import TSNE
from gramian.neighbors import NearestNeighbors

_SHARES = (1.0 / 3.0, 1.0 / 2.0)  # perplexity to rows: warning, problem
_KEPT = (0.3, 0.1)  # of the neighbours in the data, on the map: warning, problem
_MOVING = (0.05, 0.3)  # gradient to attraction: warning, problem
_NEIGHBOURS = 10


@register_diagnosis(TSNE)
def diagnose_tsne(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose the perplexity, the neighbours that were kept, and the end of the descent."""
    if sample_weight is not None:
        raise ValueError("diagnose takes TSNE without sample_weight.")
    n = len(model.embedding_)
    title = f"TSNE of {counted(n, 'row')} in {counted(model.n_components, 'dimension')}"
    return Diagnosis(title, [_check_perplexity(model, n), _check_kept(model, n), _check_end(model)])


def _verdict(figure: float, limits: tuple[float, float], *, low_is_bad: bool = False) -> Verdict:
    sign = -1.0 if low_is_bad else 1.0
    if sign * figure > sign * limits[1]:
        return "problem"
    return "warning" if sign * figure > sign * limits[0] else "ok"


def _check_perplexity(model: Any, n: int) -> Finding:
    """Is the perplexity far from the number of rows?"""
    share = float(model.perplexity / (n - 1))
    verdict = _verdict(share, _SHARES)
    return Finding(
        "perplexity",
        "Neighbourhoods are small parts of the data",
        "perplexity / other rows",
        share,
        None,
        verdict,
        f"Each of {counted(n, 'row')} has {model.perplexity:g} effective neighbours"
        + (": nearly all rows are alike to it." if verdict != "ok" else "."),
        f"Take a perplexity below {max(int((n - 1) / 3), 1)}." if verdict != "ok" else "",
    )


def _check_kept(model: Any, n: int) -> Finding:
    """Are neighbours in the data neighbours on the map?"""
    about = ("neighbours", "Near rows are near on the map")
    k = min(_NEIGHBOURS, n - 1)
    near = model._search.kneighbors(n_neighbors=k, return_distance=False)
    search = NearestNeighbors(n_neighbors=k).fit(model.embedding_)
    on_map = search.kneighbors(return_distance=False)
    kept = float((near[:, :, None] == on_map[:, None, :]).any(axis=2).mean())
    by_chance = k / (n - 1)
    verdict = _verdict(kept, _KEPT, low_is_bad=True) if by_chance < _KEPT[0] else "ok"
    return Finding(
        *about,
        f"of {k} nearest rows on the map",
        kept,
        None,
        verdict,
        f"{kept:.0%} of the {k} nearest rows in the data are among the {k} nearest on the map; "
        f"{by_chance:.0%} would be by chance.",
        "Read groups from the map, not single neighbours; a third component keeps more."
        if verdict != "ok"
        else "",
    )


def _check_end(model: Any) -> Finding:
    """Has the map come to rest?"""
    relative = float(model.certificate_.optimality)
    verdict = _verdict(relative, _MOVING) if np.isfinite(relative) else "problem"
    return Finding(
        "descent",
        "The map has come to rest",
        "gradient / attraction",
        relative,
        None,
        verdict,
        f"{model.certificate_.statement}.",
        "Raise max_iter." if verdict != "ok" else "",
    )
