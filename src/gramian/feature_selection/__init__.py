"""Choosing columns: by their variance, their scores, or what a model makes of them."""

from gramian.feature_selection._base import SelectorMixin
from gramian.feature_selection._from_model import SelectFromModel
from gramian.feature_selection._mutual_info import mutual_info_classif, mutual_info_regression
from gramian.feature_selection._rfe import RFE
from gramian.feature_selection._rfecv import RFECV
from gramian.feature_selection._scores import chi2, f_classif, f_oneway, f_regression, r_regression
from gramian.feature_selection._sequential import SequentialFeatureSelector
from gramian.feature_selection._univariate import (
    GenericUnivariateSelect,
    SelectFdr,
    SelectFpr,
    SelectFwe,
    SelectKBest,
    SelectPercentile,
)
from gramian.feature_selection._variance import VarianceThreshold

__all__ = [
    "RFE",
    "RFECV",
    "GenericUnivariateSelect",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SelectorMixin",
    "SequentialFeatureSelector",
    "VarianceThreshold",
    "chi2",
    "f_classif",
    "f_oneway",
    "f_regression",
    "mutual_info_classif",
    "mutual_info_regression",
    "r_regression",
]
