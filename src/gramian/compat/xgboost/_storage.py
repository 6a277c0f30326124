"""What a booster keeps: files, attributes, rounds, copies."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.model import BoostedModel
from gramian.compat._input_rules import InputRules
from gramian.compat._ubjson import ubjson_bytes
from gramian.compat.xgboost._document import json_text, model_document
from gramian.compat.xgboost._load import booster_parts
from gramian.compat.xgboost._objectives import OBJECTIVES
from gramian.compat.xgboost._session import Session, Settings
from gramian.exceptions import NotFittedError
from gramian.params import OneOf, check_arguments

__all__ = ["StoredBooster"]

_TRANSIENT = ("_settings", "_session", "_is_stale")


class StoredBooster:
    """The part of `Booster` that is about its state."""

    feature_names: list[str] | None
    feature_types: list[str] | None

    _params: dict[str, Any]
    _model: BoostedModel | None
    _bias: NDArray[np.float64] | None
    _rules: InputRules | None
    _n_parallel: int
    _n_features: int
    _attributes: dict[str, str]
    # Of growing trees; neither copied nor saved.
    _session: Session | None = None
    _is_stale: bool = False

    @cached_property
    def _settings(self) -> Settings:
        """The parameters, read."""
        return Settings.read(self._params, "train")

    def _model_now(self) -> BoostedModel | None:
        """Return the trees, those of the newest rounds among them."""
        if self._session is not None and self._is_stale:
            self._model, self._is_stale = self._session.model(), False
        return self._model

    # -- files ------------------------------------------------------------------------------------

    def save_model(self, fname: str | os.PathLike[str]) -> None:
        """Write the model into a file that XGBoost reads.

        Parameters
        ----------
        fname : path
            Its ending says the format: ``.json`` is JSON, ``.ubj`` and others are UBJSON.
        """
        data = self.save_raw("json" if str(fname).endswith(".json") else "ubj")
        with open(fname, "wb") as file:
            file.write(data)

    def save_raw(self, raw_format: str = "ubj") -> bytearray:
        """Return the bytes of the file of the model.

        Parameters
        ----------
        raw_format : {"ubj", "json"}, default="ubj"
            The format.
        """
        check_arguments("save_raw", raw_format=(raw_format, OneOf("ubj", "json")))
        document = self._document()
        if raw_format == "json":
            return bytearray(json_text(document).encode())
        return bytearray(ubjson_bytes(document))

    def _document(self) -> dict[str, Any]:
        if self._bias is None or self._rules is None:
            raise NotFittedError("This Booster has no trees yet; use train, or load_model.")
        own = self._settings.own
        return model_document(
            model=self._model_now(),
            n_parallel=self._n_parallel,
            n_features=self._n_features,
            base_score=OBJECTIVES[own["objective"]].base_of(self._bias),
            objective=own["objective"],
            own=own,
            attributes=self._attributes,
            names=self.feature_names,
            types=self.feature_types,
            levels=self._rules.levels,
        )

    def load_model(self, fname: Any) -> None:
        """Read a model that XGBoost, or `save_model`, has written.

        Parameters
        ----------
        fname : path, bytes or file object
            The file, or what `save_raw` returns.
        """
        found = booster_parts(fname)
        parts = found.parts
        spec = OBJECTIVES[parts.objective]
        assert parts.split_gain is not None
        loss = spec.loss or "squared_error"
        self._model = BoostedModel(parts.trees, parts.split_gain, parts.bias, loss, 0.0)
        self._bias, self._rules = parts.bias, parts.rules
        self._n_parallel, self._n_features = found.n_parallel, len(parts.trees.n_levels)
        self._params = found.params
        self._attributes = found.attributes
        self.feature_names, self.feature_types = parts.feature_names, found.types
        self._forget()

    def _forget(self) -> None:
        """Forget what is derived from parameters, and the rows that the trees grew on."""
        for name in _TRANSIENT:
            vars(self).pop(name, None)

    # -- attributes -------------------------------------------------------------------------------

    def attr(self, key: str) -> str | None:
        """Return an attribute, None if there is none of this name."""
        return self._attributes.get(key)

    def attributes(self) -> dict[str, str]:
        """Return all attributes."""
        return dict(self._attributes)

    def set_attr(self, **kwargs: Any) -> None:
        """Set attributes, which are texts; None removes one."""
        for name, value in kwargs.items():
            if value is None:
                self._attributes.pop(name, None)
            elif isinstance(value, str):
                self._attributes[name] = value
            else:
                raise ValueError("Set Attr only accepts string values")

    @property
    def best_iteration(self) -> int:
        """The round that early stopping found best, from 0."""
        return int(self._found_early("best_iteration"))

    @best_iteration.setter
    def best_iteration(self, number: int) -> None:
        self.set_attr(best_iteration=str(number))

    @property
    def best_score(self) -> float:
        """The metric of that round."""
        return float(self._found_early("best_score"))

    @best_score.setter
    def best_score(self, score: float) -> None:
        self.set_attr(best_score=str(score))

    def _found_early(self, name: str) -> str:
        found = self.attr(name)
        if found is None:
            raise AttributeError(f"`{name}` is only defined when early stopping is used.")
        return found

    # -- rounds -----------------------------------------------------------------------------------

    def num_boosted_rounds(self) -> int:
        """Return the number of rounds."""
        if self._session is not None and self._is_stale:
            before = self._session.before
            grown = len(self._session.run.grown)
            n_trees = grown + (0 if before is None else before.trees.n_trees)
        else:
            n_trees = 0 if self._model is None else self._model.trees.n_trees
        n_groups = 1 if self._bias is None else len(self._bias)
        return n_trees // (n_groups * self._n_parallel)

    def num_features(self) -> int:
        """Return the number of columns."""
        return self._n_features

    def __getitem__(self, rounds: slice | int) -> Self:
        """Return the model of some rounds; what early stopping found is forgotten."""
        n_rounds = self.num_boosted_rounds()
        if not isinstance(rounds, slice):
            first = rounds + n_rounds if rounds < 0 else rounds
            if not 0 <= first < n_rounds:
                raise IndexError(f"There is no round {rounds} in a model of {n_rounds}.")
            rounds = slice(first, first + 1)
        chosen = range(n_rounds)[rounds]
        if rounds.step is not None and rounds.step < 1:
            raise ValueError(f"step must be at least 1. Got {rounds.step}.")
        if len(chosen) == 0:
            raise ValueError(f"Empty slice is not allowed. Got {rounds} of {n_rounds} rounds.")
        model = self._model_now()
        assert model is not None
        size = self._n_parallel
        parts = [model.rounds(number * size, (number + 1) * size) for number in chosen]
        part = self.copy()
        part._model = replace(
            model,
            trees=type(model.trees).concatenate([one.trees for one in parts]),
            split_gain=np.concatenate([one.split_gain for one in parts]),
        )
        for name in ("best_iteration", "best_score"):
            part._attributes.pop(name, None)
        return part

    def __iter__(self) -> Iterator[Self]:
        """Yield the model of each round."""
        for number in range(self.num_boosted_rounds()):
            yield self[number]

    # -- copies -----------------------------------------------------------------------------------

    def copy(self) -> Self:
        """Return a copy, without the rows that the trees grew on."""
        return self.__copy__()

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        vars(other).update(self.__getstate__())
        other._params, other._attributes = dict(self._params), dict(self._attributes)
        return other

    def __deepcopy__(self, memo: Any) -> Self:
        return self.__copy__()

    def _check_state(self) -> None:
        """Refuse attributes of a model file that do not fit together."""
        if self._rules is None:
            return
        bias, rules = self._bias, self._rules
        if bias is None or bias.ndim != 1 or self._n_parallel < 1:
            raise ValueError("the base scores or the size of a round are wrong")
        if not len(rules.n_levels) == len(rules.zero_is_missing) == self._n_features:
            raise ValueError("the rules of the columns are wrong")
        if self._model is not None:
            trees, in_round = self._model.trees, len(bias) * self._n_parallel
            n_splits = len(trees.threshold)
            if trees.n_trees % in_round or len(self._model.baseline) != len(bias):
                raise ValueError("the trees do not fit the rounds")
            if len(trees.n_levels) != self._n_features or len(self._model.split_gain) != n_splits:
                raise ValueError("the trees do not fit the columns")

    def __getstate__(self) -> dict[str, Any]:
        self._model_now()
        return {name: value for name, value in vars(self).items() if name not in _TRANSIENT}
