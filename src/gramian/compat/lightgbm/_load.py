"""Models of LightGBM, read and used without it."""

from typing import Any

from gramian.compat._loading import read_model
from gramian.compat._model import LoadedClassifier, LoadedRegressor
from gramian.compat._untrusted import source_bytes
from gramian.compat.lightgbm._reader import lightgbm_parts
from gramian.exceptions import ModelFileError

__all__ = ["load_model"]


def load_model(
    source: Any, *, n_iterations: int | str | None = None
) -> LoadedClassifier | LoadedRegressor:
    """Read a model that LightGBM has written.

    The file is that of ``booster.save_model("model.txt")``. All boostings and objectives that
    LightGBM itself has, missing values, categories and several classes are supported; linear trees
    are not.

    Parameters
    ----------
    source : path, str, bytes or file object
        The file, or its text, as ``booster.model_to_string()`` returns it.
    n_iterations : int or "all", optional
        Number of rounds to use; by default all. LightGBM writes those up to the best one.

    Returns
    -------
    LoadedClassifier or LoadedRegressor
        The model. Its `predict` and `predict_proba` agree with those of LightGBM's classes, and
        `decision_function` or `predict_raw` with ``raw_score=True``.

    Raises
    ------
    gramian.exceptions.ModelFileError
        If the file is damaged, or holds something else.

    See Also
    --------
    gramian.compat.xgboost.load_model, gramian.compat.catboost.load_model

    Notes
    -----
    As in LightGBM, arrays hold the codes of categories. In data frames a category that the file
    does not name is missing. LightGBM writes spaces in the names of columns as underscores, so that
    such columns of a data frame must be renamed.

    Examples
    --------
    >>> from gramian.compat.lightgbm import load_model
    >>> text = '''tree
    ... version=v4
    ... num_class=1
    ... num_tree_per_iteration=1
    ... max_feature_idx=1
    ... objective=poisson
    ... feature_names=Column_0 Column_1
    ... feature_infos=[0:1] [0:1]
    ...
    ... Tree=0
    ... num_leaves=2
    ... num_cat=0
    ... split_feature=1
    ... threshold=0.5
    ... decision_type=10
    ... left_child=-1
    ... right_child=-2
    ... leaf_value=0 1
    ... leaf_count=5 5
    ... is_linear=0
    ... shrinkage=1
    ...
    ... end of trees
    ... '''
    >>> load_model(text).predict([[0.0, 0.5], [0.0, 0.6]]).round(4)
    array([1.    , 2.7183])
    """
    is_text = isinstance(source, str) and "\n" in source
    data = source.encode() if is_text else source_bytes(source)
    return read_model("LightGBM", data, n_iterations, _parsed, lightgbm_parts)


def _parsed(data: bytes) -> str:
    if data[:4] != b"tree":
        raise ModelFileError(
            "it does not begin with 'tree'; write it with booster.save_model('model.txt')"
        )
    return data.decode().replace("\r\n", "\n")
