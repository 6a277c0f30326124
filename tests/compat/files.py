"""The model files of ``data/``, which ``make_files.py`` has written, and their rows."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gramian.compat import catboost, lightgbm, xgboost

DATA = Path(__file__).parent / "data"
EXPECTED = dict(np.load(DATA / "expected.npz"))
NAMES = sorted(path.name.removesuffix(".gz") for path in DATA.glob("*.gz"))
REFUSED = {
    "xgboost_linear.json": "booster='gblinear'",
    "lightgbm_linear.txt": "linear_tree=True",
    "catboost_unnamed.json": "pool=",
    "catboost_statistics.json": "one_hot_max_size",
}
READABLE = [name for name in NAMES if name not in REFUSED]
CITIES = np.array(["Bonn", "Lyon", "Oslo", "Pisa", "Rome", "Ulm"])
READERS = {"xgboost": xgboost, "lightgbm": lightgbm, "catboost": catboost}


def content(name: str) -> bytes:
    """Return the file."""
    return gzip.decompress((DATA / f"{name}.gz").read_bytes())


def load(name: str, data: Any = None, **options: Any) -> Any:
    """Return the model of a file, or of other data in its place."""
    reader = READERS[name.partition("_")[0]]
    return reader.load_model(content(name) if data is None else data, **options)


def rows_of(name: str) -> Any:
    """Return the new rows in the form that the model of a file was given."""
    numbers = pd.DataFrame(EXPECTED["numbers"], columns=list("abcd"))
    city = CITIES[EXPECTED["city"]].astype(object)
    if "categories" in name:
        if name.startswith("lightgbm"):
            city[:6], city[city == "Ulm"] = None, "Vienna"
        # Neither the order of columns nor that of categories matters.
        size = pd.Categorical(EXPECTED["size"])
        return numbers.assign(size=size, city=pd.Categorical(city))[["city", *"dcba", "size"]]
    if name.split("_")[1].removesuffix(".json") in ("symmetrictree", "depthwise", "lossguide"):
        city[:6] = "Vienna"
        return numbers.assign(city=city, size=EXPECTED["size"])
    if "codes" in name:
        return EXPECTED["strange_codes"]
    return EXPECTED["numbers"]
