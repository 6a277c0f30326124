"""Models that show their work: diagnosis, worked calculations, importances, dependence."""

from gramian.inspection import (  # noqa: F401 they register
    _adaboost_worked,
    _bagging_worked,
    _basis_worked,
    _boosting_diagnosis,
    _boosting_worked,
    _forest_diagnosis,
    _forest_worked,
    _glm_diagnosis,
    _glm_worked,
    _gradient_worked,
    _id3_worked,
    _lasso_worked,
    _linear_diagnosis,
    _linear_svm_worked,
    _linear_worked,
    _logistic_diagnosis,
    _logistic_worked,
    _oblivious_worked,
    _perceptron_worked,
    _svm_diagnosis,
    _svm_worked,
    _target_statistics_worked,
    _tree_diagnosis,
    _tree_worked,
    _voting_worked,
)
from gramian.inspection._boundary_display import DecisionBoundaryDisplay
from gramian.inspection._dependence_display import PartialDependenceDisplay
from gramian.inspection._diagnose import diagnose, register_diagnosis
from gramian.inspection._findings import Diagnosis, Finding
from gramian.inspection._oob_importance import oob_permutation_importance
from gramian.inspection._partial_dependence import partial_dependence
from gramian.inspection._permutation_importance import Importances, permutation_importance
from gramian.inspection._steps import Step, StepTable, Worked
from gramian.inspection._tree_shap import ShapValues, tree_shap
from gramian.inspection._variance_decomposition import (
    VarianceDecomposition,
    variance_decomposition,
)
from gramian.inspection._worked import register_worked, worked

__all__ = [
    "DecisionBoundaryDisplay",
    "Diagnosis",
    "Finding",
    "Importances",
    "PartialDependenceDisplay",
    "ShapValues",
    "Step",
    "StepTable",
    "VarianceDecomposition",
    "Worked",
    "diagnose",
    "oob_permutation_importance",
    "partial_dependence",
    "permutation_importance",
    "register_diagnosis",
    "register_worked",
    "tree_shap",
    "variance_decomposition",
    "worked",
]
