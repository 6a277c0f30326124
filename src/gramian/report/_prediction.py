"""What the commands beside the comparison do: audit a table, predict with a saved model."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from gramian.inspection import Diagnosis, audit
from gramian.persistence import load
from gramian.report._problem import prepare, prepare_features
from gramian.report._reading import TableError, read_table


def audit_table(
    table: str | Path, target: str | None = None, *, task: str | None = None, seed: int = 0
) -> tuple[Diagnosis, tuple[str, ...]]:
    """Audit a table as a comparison reads it.

    Parameters
    ----------
    table : str or path
        What `read_table` takes.
    target : str, optional
        The column that will be predicted.
    task : {"regression", "classification"}, optional
        What the target is; found out if not given.
    seed : int, default=0
        Draws folds and rows.

    Returns
    -------
    findings : Diagnosis
    notes : tuple of str
        What was done to the table to read it.

    Examples
    --------
    >>> from gramian.report import audit_table
    >>> findings, notes = audit_table("iris", "target")
    >>> [finding.code for finding in findings.alarms]
    ['order']
    """
    frame = read_table(table)
    if target is None:
        X, notes = prepare_features(frame)
        return audit(X, random_state=seed), notes
    problem = prepare(frame, target, task)
    found = audit(problem.X, problem.y, task=problem.task, random_state=seed)
    return found, problem.notes


def predict_table(
    model: Any, table: str | Path | pl.DataFrame, *, probabilities: bool = False
) -> pl.DataFrame:
    """Predict the rows of a table.

    Parameters
    ----------
    model : estimator, str or path
        A fitted model, or the file of one.
    table : polars.DataFrame, str or path
        The rows, or what `read_table` takes; columns that the model does not know are ignored.
    probabilities : bool, default=False
        Whether to add the probability of each class.

    Returns
    -------
    polars.DataFrame
        The column "prediction", and a column for each class if asked for.

    Examples
    --------
    >>> from gramian.report import predict_table, prepare, read_table
    >>> from gramian.tree import DecisionTreeClassifier
    >>> iris = read_table("iris")
    >>> problem = prepare(iris, "target")
    >>> model = DecisionTreeClassifier(max_depth=2).fit(problem.X, problem.y)
    >>> predict_table(model, iris.head(2), probabilities=True).columns
    ['prediction', 'probability of setosa', 'probability of versicolor', ...]
    """
    if isinstance(model, (str, Path)):
        model = load(model)
    if not hasattr(model, "predict"):
        raise TableError(f"a {type(model).__name__} does not predict.")
    frame = table if isinstance(table, pl.DataFrame) else read_table(table)
    X = known_columns(model, prepare_features(frame)[0])
    try:
        columns = {"prediction": np.asarray(model.predict(X))}
        if probabilities:
            columns |= _probabilities(model, X)
    except (ValueError, TypeError) as error:
        raise TableError(f"the model cannot predict this table: {error}") from None
    return pl.DataFrame(columns)


def _probabilities(model: Any, X: pl.DataFrame) -> dict[str, Any]:
    if not hasattr(model, "predict_proba"):
        raise TableError(f"{model} gives no probabilities.")
    found = np.asarray(model.predict_proba(X))
    return {f"probability of {name}": found[:, k] for k, name in enumerate(model.classes_)}


def known_columns(model: Any, X: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that the model was fitted to, by their names."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return X
    missing = [name for name in names if name not in X.columns]
    if missing:
        shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise TableError(f"the table lacks columns that the model was fitted to: {shown}.")
    return X.select(names.tolist())


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table as CSV or Parquet, as the name says."""
    if path.suffix.lower() == ".parquet":
        table.write_parquet(path)
    elif path.suffix.lower() == ".csv":
        table.write_csv(path)
    else:
        raise TableError(f"{path} must end in .csv or .parquet.")
