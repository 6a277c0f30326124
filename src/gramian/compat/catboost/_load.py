"""Models of CatBoost, read and used without it."""

from typing import Any

from gramian.compat._loading import read_model
from gramian.compat._model import LoadedClassifier, LoadedRegressor
from gramian.compat._untrusted import parsed_json
from gramian.compat.catboost._reader import catboost_parts
from gramian.exceptions import ModelFileError

__all__ = ["load_model"]


def load_model(
    source: Any, *, n_iterations: int | str | None = None
) -> LoadedClassifier | LoadedRegressor:
    """Read a model that CatBoost has written as JSON.

    The file is that of ``save_model("model.json", format="json")``; for a model with categorical
    columns also ``pool=``, so that the file names the categories. Symmetric and other trees, all
    losses but RMSEWithUncertainty, missing values and one-hot encoded categories are supported.
    Statistics of the target for categories of many levels are not: fit with a larger
    ``one_hot_max_size``.

    Parameters
    ----------
    source : path, bytes, file object or dict
        The file, or the parsed JSON document.
    n_iterations : int or "all", optional
        Number of trees to use; by default all. CatBoost writes those up to the best one.

    Returns
    -------
    LoadedClassifier or LoadedRegressor
        The model. Its `predict` and `predict_proba` agree with those of CatBoost's classes, and
        `decision_function` or `predict_raw` with ``prediction_type="RawFormulaVal"``.

    Raises
    ------
    gramian.exceptions.ModelFileError
        If the file is damaged, or holds something else.

    See Also
    --------
    gramian.compat.xgboost.load_model, gramian.compat.lightgbm.load_model

    Notes
    -----
    As in CatBoost, a category is its text, in arrays too: the number 3 is the category ``"3"``.

    Examples
    --------
    >>> from gramian.compat.catboost import load_model
    >>> splits = [
    ...     {"split_type": "FloatFeature", "float_feature_index": 0, "border": 0.5},
    ...     {"split_type": "FloatFeature", "float_feature_index": 1, "border": 7.0},
    ... ]
    >>> columns = [
    ...     {"flat_feature_index": j, "nan_value_treatment": "AsIs", "feature_id": name}
    ...     for j, name in enumerate(["dose", "days"])
    ... ]
    >>> model = load_model({
    ...     "features_info": {"float_features": columns},
    ...     "model_info": {
    ...         "params": {"loss_function": {"type": "Logloss"}},
    ...         "class_params": {"class_names": ["ill", "well"]},
    ...     },
    ...     "oblivious_trees": [{"splits": splits, "leaf_values": [-1.0, 0.5, 0.0, 2.0]}],
    ...     "scale_and_bias": [1, [0.0]],
    ... })
    >>> import pandas as pd
    >>> model.predict(pd.DataFrame({"days": [3, 9], "dose": [0.1, 0.9]}))
    array(['ill', 'well'], dtype='<U4')
    """
    return read_model("CatBoost", source, n_iterations, _parsed, catboost_parts)


def _parsed(data: bytes) -> Any:
    if data.lstrip()[:1] != b"{":
        raise ModelFileError(
            "it is not JSON; write it with save_model('model.json', format='json')"
        )
    return parsed_json(data)
