"""Compare models on a table, and report the result as one HTML page."""

from gramian.report._collect import Report, collect, fit_best
from gramian.report._compare import compare
from gramian.report._evaluation import Step
from gramian.report._explanation import Contribution, Explanation, explain_table, work_out
from gramian.report._model_report import report_model
from gramian.report._prediction import audit_table, predict_table, write_table
from gramian.report._problem import Problem, prepare, prepare_features
from gramian.report._reading import TableError, read_table
from gramian.report._render import render, write_report
from gramian.report._results import Comparison, ModelResult, Settings
from gramian.report._standardised import Standardised

__all__ = [
    "Comparison",
    "Contribution",
    "Explanation",
    "ModelResult",
    "Problem",
    "Report",
    "Settings",
    "Standardised",
    "Step",
    "TableError",
    "audit_table",
    "collect",
    "compare",
    "explain_table",
    "fit_best",
    "predict_table",
    "prepare",
    "prepare_features",
    "read_table",
    "render",
    "report_model",
    "work_out",
    "write_report",
    "write_table",
]
