"""The files of CatBoost: models written for it, and read from it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gramian.compat.catboost._engine import CatBoostTrees
from gramian.compat.catboost._json import WrittenModel
from gramian.compat.catboost._load import load_model
from gramian.compat.catboost._predictions import PredictionMethods
from gramian.validation import check_is_fitted

__all__ = ["FileMethods"]


class FileMethods(PredictionMethods):
    """Writing and reading of models."""

    if TYPE_CHECKING:  # of the models that this is a base of

        def _given(self) -> dict[str, Any]: ...

    def save_model(self, fname: Any, format: str = "json", pool: Any = None) -> None:
        """Write the model into a file that CatBoost reads.

        Parameters
        ----------
        fname : path
            The file.
        format : "json"
            Its form; the other formats of CatBoost are not supported. For a file that holds
            everything, use `gramian.save`.
        pool : object
            Accepted without effect: the names of categories are written in any case.

        Raises
        ------
        ValueError
            If CatBoost has no form for the splits: sets of levels, statistics of the target, or
            missing levels.
        """
        check_is_fitted(self, "_engine")
        if format != "json":
            raise ValueError(
                f"format={format!r} is not supported by gramian; 'json' is, which CatBoost reads "
                "by load_model(fname, format='json')."
            )
        text = self._written().text()
        with open(os.fspath(fname), "w", encoding="utf-8") as file:
            file.write(text)

    def _written(self) -> WrittenModel:
        engine = self._engine
        if not isinstance(engine, CatBoostTrees):
            raise ValueError("A model that was read from a file is not written again; copy it.")
        if engine._target_tables is not None:
            raise ValueError(
                "CatBoost has no form for this model's statistics of the target. Fit it with a "
                "one_hot_max_size that is not below the numbers of levels, or use gramian.save."
            )
        params = self._given()
        return WrittenModel(
            ensemble=engine._tree_ensemble(),
            loss=self._loss,
            names=self._names,
            levels=self._levels(),
            goes_above=engine._goes_above,
            classes=vars(self).get("classes_"),
            params=params,
            metadata=params.get("metadata") or {},
        )

    def load_model(self, fname: Any = None, format: str = "json", blob: Any = None) -> Self:
        """Read a model that CatBoost, or `save_model`, has written as JSON; return self.

        Parameters
        ----------
        fname : path, optional
            The file.
        format : "json"
            Its form; the other formats of CatBoost are not supported.
        blob : bytes, optional
            The content of the file in its place.
        """
        if format != "json":
            raise ValueError(
                f"format={format!r} is not supported by gramian; write the model by "
                "save_model(fname, format='json')."
            )
        if (fname is None) == (blob is None):
            raise ValueError("Pass either fname or blob.")
        found = load_model(fname if blob is None else blob)
        for name in [name for name in vars(self) if name.endswith("_") and name != "_"]:
            delattr(self, name)
        self._engine, self._loss = found, found.objective_
        self.n_features_in_ = found.n_features_in_
        names = vars(found).get("feature_names_in_")
        if names is not None:
            self.feature_names_in_ = names
        numbered = [str(place) for place in range(found.n_features_in_)]
        self._names = numbered if names is None else [str(name) for name in names]
        if hasattr(found, "classes_"):
            self.classes_ = np.asarray(found.classes_)
        return self
