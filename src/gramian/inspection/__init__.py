"""Models that show their work: diagnosis, worked calculations, importances, dependence."""

import gramian.inspection._diagnosis.models
import gramian.inspection._worked.models  # noqa: F401 both register what they know
from gramian.inspection._audit.audit import audit
from gramian.inspection._dependence.boundary_display import DecisionBoundaryDisplay
from gramian.inspection._dependence.dependence_display import PartialDependenceDisplay
from gramian.inspection._dependence.partial_dependence import partial_dependence
from gramian.inspection._diagnosis.diagnose import diagnose, register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding
from gramian.inspection._gradient_check import GradientCheck, gradient_check
from gramian.inspection._importance.oob_importance import oob_permutation_importance
from gramian.inspection._importance.permutation_importance import (
    Importances,
    permutation_importance,
)
from gramian.inspection._shap.tree_shap import ShapValues, tree_shap
from gramian.inspection._variance_decomposition import (
    VarianceDecomposition,
    variance_decomposition,
)
from gramian.inspection._worked.steps import Step, StepTable, Worked
from gramian.inspection._worked.worked import register_worked, worked

__all__ = [
    "DecisionBoundaryDisplay",
    "Diagnosis",
    "Finding",
    "GradientCheck",
    "Importances",
    "PartialDependenceDisplay",
    "ShapValues",
    "Step",
    "StepTable",
    "VarianceDecomposition",
    "Worked",
    "audit",
    "diagnose",
    "gradient_check",
    "oob_permutation_importance",
    "partial_dependence",
    "permutation_importance",
    "register_diagnosis",
    "register_worked",
    "tree_shap",
    "variance_decomposition",
    "worked",
]
