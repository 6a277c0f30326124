"""Regression diagnostics: tests of the hypotheses of a linear model, and influence of its rows.

Every function takes plain arrays; the features come without a column of ones, and `fit_intercept`
says whether the model has an intercept. A `Design` may stand for the features: its factorisation is
then used again instead of being made anew.
"""

from gramian.diagnostics._auxiliary import (
    breusch_godfrey,
    breusch_pagan,
    rainbow_test,
    ramsey_reset,
    white_test,
)
from gramian.diagnostics._collinearity import condition_number, variance_inflation_factor
from gramian.diagnostics._design import Design
from gramian.diagnostics._influence import (
    Influence,
    cooks_distance,
    influence,
    leverage,
    studentized_residuals,
)
from gramian.diagnostics._logistic import (
    BoxTidwell,
    HosmerLemeshow,
    LogisticInfluence,
    box_tidwell,
    hosmer_lemeshow,
    logistic_influence,
)
from gramian.diagnostics._names import column_names, one_hot_groups
from gramian.diagnostics._residuals import durbin_watson, jarque_bera, ljung_box, omnibus
from gramian.diagnostics._results import FTest, LagrangeTest, NormalityTest, PortmanteauTest
from gramian.diagnostics._separation import Separation, check_separation

__all__ = [
    "BoxTidwell",
    "Design",
    "FTest",
    "HosmerLemeshow",
    "Influence",
    "LagrangeTest",
    "LogisticInfluence",
    "NormalityTest",
    "PortmanteauTest",
    "Separation",
    "box_tidwell",
    "breusch_godfrey",
    "breusch_pagan",
    "check_separation",
    "column_names",
    "condition_number",
    "cooks_distance",
    "durbin_watson",
    "hosmer_lemeshow",
    "influence",
    "jarque_bera",
    "leverage",
    "ljung_box",
    "logistic_influence",
    "omnibus",
    "one_hot_groups",
    "rainbow_test",
    "ramsey_reset",
    "studentized_residuals",
    "variance_inflation_factor",
    "white_test",
]
