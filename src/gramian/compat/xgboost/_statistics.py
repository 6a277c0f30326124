"""What the trees of a booster look like: importances, texts, frames."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.model import BoostedModel
from gramian.compat.xgboost._dump import TreePrinter, frame_columns
from gramian.compat.xgboost._nodes import NodeTable, node_tables, written_order
from gramian.compat.xgboost._storage import StoredBooster
from gramian.params import OneOf, check_arguments

__all__ = ["TreeStatistics"]

_IMPORTANCES = ("weight", "gain", "cover", "total_gain", "total_cover")


class TreeStatistics(StoredBooster):
    """The part of `Booster` that describes its trees."""

    def _tables(self) -> list[NodeTable]:
        """Return the nodes of all trees in XGBoost's order."""
        model = self._model_now()
        if model is None:
            return []
        found = list(node_tables(model))
        return [found[number] for number in self._written_order(model).tolist()]

    def _written_order(self, model: BoostedModel) -> NDArray[np.int64]:
        """Return the numbers of the trees in XGBoost's order."""
        return written_order(model.trees.n_trees, self._n_parallel, len(model.baseline))

    def _column_names(self) -> list[str]:
        return self.feature_names or [f"f{k}" for k in range(self._n_features)]

    def get_score(
        self, fmap: str | os.PathLike[str] = "", importance_type: str = "weight"
    ) -> dict[str, float]:
        """Return what each column is worth that is split at all.

        Parameters
        ----------
        fmap : str, default=""
            Not supported: names of columns come with the rows.
        importance_type : {"weight", "gain", "cover", "total_gain", "total_cover"}, default="weight"
            The number of its splits; the mean of their gains, or of their sums of hessians; or the
            sums of these.

        Returns
        -------
        dict
            By name, or ``f0``, ``f1`` and so on.
        """
        _check_map(fmap)
        check_arguments("get_score", importance_type=(importance_type, OneOf(*_IMPORTANCES)))
        counts, sums = np.zeros(self._n_features), np.zeros(self._n_features)
        for table in self._tables():
            is_split = ~table.is_leaf
            columns = table.feature[is_split]
            worth = table.gain if importance_type.endswith("gain") else table.hessian
            np.add.at(counts, columns, 1.0)
            np.add.at(sums, columns, worth[is_split].astype(np.float64))
        if importance_type == "weight":
            values = counts
        elif importance_type.startswith("total"):
            values = sums
        else:
            values = sums / np.maximum(counts, 1.0)
        names = self._column_names()
        return {names[k]: float(values[k]) for k in np.flatnonzero(counts)}

    def get_fscore(self, fmap: str | os.PathLike[str] = "") -> dict[str, float]:
        """Return the number of splits of each column; see `get_score`."""
        return self.get_score(fmap, "weight")

    def get_dump(
        self,
        fmap: str | os.PathLike[str] = "",
        with_stats: bool = False,
        dump_format: str = "text",
    ) -> list[str]:
        """Return each tree as text.

        Parameters
        ----------
        fmap : str, default=""
            Not supported: names of columns come with the rows.
        with_stats : bool, default=False
            Whether to print the gains of splits, and sums of hessians.
        dump_format : {"text", "json"}, default="text"
            A line for each node, or nested objects.
        """
        _check_map(fmap)
        check_arguments("get_dump", dump_format=(dump_format, OneOf("text", "json")))
        printer = TreePrinter(self._column_names(), self.feature_types, bool(with_stats))
        write = printer.text if dump_format == "text" else printer.nested
        return [write(table) for table in self._tables()]

    def dump_model(
        self,
        fout: str | os.PathLike[str],
        fmap: str | os.PathLike[str] = "",
        with_stats: bool = False,
        dump_format: str = "text",
    ) -> None:
        """Write each tree as text into a file; the arguments are those of `get_dump`."""
        trees = self.get_dump(fmap, with_stats, dump_format)
        if dump_format == "json":
            content = "[\n" + ",\n".join(trees) + "\n]"
        else:
            content = "".join(f"booster[{k}]:\n{tree}" for k, tree in enumerate(trees))
        with open(fout, "w", encoding="utf-8") as file:
            file.write(content)

    def trees_to_dataframe(self, fmap: str | os.PathLike[str] = "") -> Any:
        """Return a pandas data frame with a row for each node of all trees."""
        _check_map(fmap)
        import pandas as pd

        return pd.DataFrame(frame_columns(self._tables(), self._column_names()))

    def get_split_value_histogram(
        self,
        feature: str,
        fmap: str | os.PathLike[str] = "",
        bins: int | None = None,
        as_pandas: bool = True,
    ) -> Any:
        """Return how often a column is split at which values.

        Parameters
        ----------
        feature : str
            Name of the column.
        fmap : str, default=""
            Not supported.
        bins : int, optional
            Number of bins; by default, and at most, one for each value.
        as_pandas : bool, default=True
            Whether to return a data frame, or an array of two columns.
        """
        _check_map(fmap)
        column = self._column_names().index(feature)
        values = np.concatenate(
            [
                table.condition[~table.is_leaf & (table.feature == column)]
                for table in self._tables()
            ]
            or [np.empty(0, np.float32)]
        )
        n_values = max(1, len(np.unique(values)))
        n_bins = n_values if bins is None else min(int(bins), n_values)
        counts, edges = np.histogram(values, bins=n_bins)
        kept = np.column_stack([edges[1:], counts])[counts > 0]
        if not as_pandas:
            return kept
        import pandas as pd

        return pd.DataFrame(kept, columns=["SplitValue", "Count"])


def _check_map(fmap: Any) -> None:
    if str(fmap):
        raise ValueError(
            f"fmap={str(fmap)!r} is not supported by gramian; pass feature_names to DMatrix."
        )
