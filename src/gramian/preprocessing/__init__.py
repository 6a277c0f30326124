"""Scaling, encoding and other transformations of columns before learning."""

from gramian.preprocessing._discretization import KBinsDiscretizer
from gramian.preprocessing._function import FunctionTransformer
from gramian.preprocessing._labels import (
    LabelBinarizer,
    LabelEncoder,
    label_binarize,
)
from gramian.preprocessing._multilabel import MultiLabelBinarizer
from gramian.preprocessing._normalizer import (
    Binarizer,
    KernelCenterer,
    Normalizer,
    add_dummy_feature,
    binarize,
    normalize,
)
from gramian.preprocessing._one_hot import OneHotEncoder
from gramian.preprocessing._ordered_target import OrderedTargetEncoder
from gramian.preprocessing._ordinal import OrdinalEncoder
from gramian.preprocessing._polynomial import PolynomialFeatures
from gramian.preprocessing._power import PowerTransformer, power_transform
from gramian.preprocessing._quantile import QuantileTransformer, quantile_transform
from gramian.preprocessing._ranges import MaxAbsScaler, MinMaxScaler, maxabs_scale, minmax_scale
from gramian.preprocessing._robust import RobustScaler, robust_scale
from gramian.preprocessing._splines import SplineTransformer
from gramian.preprocessing._standard import StandardScaler, scale
from gramian.preprocessing._target import TargetEncoder

__all__ = [
    "Binarizer",
    "FunctionTransformer",
    "KBinsDiscretizer",
    "KernelCenterer",
    "LabelBinarizer",
    "LabelEncoder",
    "MaxAbsScaler",
    "MinMaxScaler",
    "MultiLabelBinarizer",
    "Normalizer",
    "OneHotEncoder",
    "OrderedTargetEncoder",
    "OrdinalEncoder",
    "PolynomialFeatures",
    "PowerTransformer",
    "QuantileTransformer",
    "RobustScaler",
    "SplineTransformer",
    "StandardScaler",
    "TargetEncoder",
    "add_dummy_feature",
    "binarize",
    "label_binarize",
    "maxabs_scale",
    "minmax_scale",
    "normalize",
    "power_transform",
    "quantile_transform",
    "robust_scale",
    "scale",
]
