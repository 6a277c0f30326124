"""Several nets of one shape: fitted side by side, their outputs averaged."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian.base import clone
from gramian.certificate import Certificate
from gramian.config import config, get_config, n_threads_for
from gramian.neural_network._net_fit import NetJob, Notes

__all__ = ["fit_nets", "mean_outputs"]

_SEEDS = np.iinfo(np.int32).max


def fit_nets(model: Any, job: NetJob) -> Notes:
    """Fit the nets of a model and set its attributes; return what there is to warn of.

    Each is the net of its own seed, whichever thread fits it.
    """
    from gramian._linear.path_cv import run_all

    nets = _new_nets(model) if job.is_first else _nets_to_go_on(model)
    n_workers = min(n_threads_for(None), len(nets))
    limit = get_config()["time_limit"]
    shared = _core.Context(n_threads=1, time_limit=limit) if n_workers > 1 else job.ctx
    task = replace(job, ctx=shared)

    def fit_one(place: int) -> Notes:
        with config(n_threads=shared.n_threads):
            notes: Notes = nets[place]._fit_net(task)
        if model.verbose:
            net = nets[place]
            print(f"Net {place + 1} of {len(nets)}: {net.n_iter_} epochs, loss = {net.loss_:.8f}")
        return notes

    notes = run_all(fit_one, list(range(len(nets))), n_workers, shared)
    _set_attributes(model, nets, is_partial=job.is_partial)
    return _in_short(notes)


def mean_outputs(nets: list[Any], rows: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return mean and standard deviation of the outputs of nets, summed in their order."""
    first = nets[0]._outputs_of(rows)
    away = np.zeros_like(first)
    squares = np.zeros_like(first)
    for net in nets[1:]:
        difference = net._outputs_of(rows) - first
        away += difference
        squares += difference * difference
    away /= len(nets)
    squares /= len(nets)
    return first + away, np.sqrt(np.maximum(squares - away * away, 0.0))


def _new_nets(model: Any) -> list[Any]:
    seeds = random_state_of(model.random_state).randint(_SEEDS, size=model._n_nets())
    own = model.get_params(deep=False).keys()
    known = {name: value for name, value in vars(model).items() if name not in own}
    for name in ("nets_", "certificate_"):
        known.pop(name, None)
    nets = []
    for seed in seeds.tolist():
        net = clone(model).set_params(n_nets=1, random_state=seed, verbose=False)
        vars(net).update(known)  # columns and classes
        nets.append(net)
    return nets


def _nets_to_go_on(model: Any) -> list[Any]:
    """Return copies of the nets of the last fit, with the parameters of this one."""
    if len(model.nets_) != model._n_nets():
        raise ValueError(
            f"There are {len(model.nets_)} nets, and n_nets={model._n_nets()} cannot go on with "
            "them. Leave n_nets as it was, or set warm_start=False to begin anew."
        )
    params = model.get_params(deep=False)
    for name in ("n_nets", "random_state", "verbose"):
        params.pop(name)
    return [copy.deepcopy(net).set_params(**params) for net in model.nets_]


def _set_attributes(model: Any, nets: list[Any], *, is_partial: bool) -> None:
    model.nets_ = nets
    for name in ("n_layers_", "n_outputs_", "out_activation_"):
        setattr(model, name, getattr(nets[0], name))
    model.n_iter_ = max(net.n_iter_ for net in nets)
    model.t_ = max(net.t_ for net in nets)
    model.loss_ = float(np.mean([getattr(net, "loss_", np.nan) for net in nets]))
    vars(model).pop("certificate_", None)
    if not is_partial:
        model.certificate_ = _certificate([net.certificate_ for net in nets])


def _certificate(each: list[Certificate]) -> Certificate:
    """Return what holds of all nets: the mean objective, and the worst of the rest."""
    worst = max(each, key=lambda one: (not one.converged, one.optimality))
    n_done = sum(one.converged for one in each)
    return Certificate(
        objective=float(np.mean([one.objective for one in each])),
        optimality=max(one.optimality for one in each),
        converged=n_done == len(each),
        statement=f"{n_done} of {len(each)} nets ended by themselves; the worst: {worst.statement}",
        n_iter=max(one.n_iter for one in each),
        details=worst.details,
    )


def _in_short(notes: list[Notes]) -> Notes:
    """Return one note of each kind, with the number of nets it is about."""
    kinds: dict[type[Warning], list[str]] = {}
    for text, category in [note for of_net in notes for note in of_net]:
        kinds.setdefault(category, []).append(text)
    return [(f"{len(t)} of {len(notes)} nets: {t[0]}", kind) for kind, t in kinds.items()]
