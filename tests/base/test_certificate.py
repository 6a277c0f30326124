"""Certificates are values."""

import pickle
from dataclasses import FrozenInstanceError

import pytest

import gramian
from gramian.certificate import Certificate

FULL = Certificate(
    objective=2.5,
    optimality=1e-12,
    converged=True,
    statement="optimal: the gradient vanishes",
    n_iter=7,
    dual_bound=2.4999,
    gap=1e-5,
    details={"solver": "cholesky", "rank": 3, "condition": 12.5},
)


def test_prints_its_statement():
    assert str(FULL) == "optimal: the gradient vanishes"
    assert "objective=2.5" in repr(FULL)


def test_defaults():
    plain = Certificate(1.0, 0.0, True, "fine")
    assert (plain.n_iter, plain.dual_bound, plain.gap, dict(plain.details)) == (0, None, None, {})
    assert plain.details is not Certificate(1.0, 0.0, True, "fine").details


def test_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        FULL.converged = False


def test_survives(tmp_path):
    assert pickle.loads(pickle.dumps(FULL)) == FULL
    gramian.save(FULL, tmp_path / "certificate")
    assert gramian.load(tmp_path / "certificate") == FULL
    assert gramian.fingerprint(FULL) == gramian.fingerprint(pickle.loads(pickle.dumps(FULL)))
