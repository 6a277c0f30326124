"""Pictures of models; they need matplotlib: ``pip install "gramian[plot]"``."""

from gramian.plot._coefficients import CoefficientsDisplay, coefficients
from gramian.plot._components import BiplotDisplay, ScreeDisplay, biplot, scree
from gramian.plot._dendrogram import DendrogramDisplay, dendrogram
from gramian.plot._densities import (
    ClassDensitiesDisplay,
    MixtureDisplay,
    class_densities,
    mixture_ellipses,
)
from gramian.plot._embedding import EmbeddingDisplay, embedding
from gramian.plot._loss_curve import LossCurveDisplay, loss_curve
from gramian.plot._network import FirstLayerDisplay, NetworkDisplay, first_layer, network
from gramian.plot._regularization import RegularizationPathDisplay, regularization_path
from gramian.plot._residuals import ResidualsDisplay, residuals
from gramian.plot._rounds import RoundsDisplay, rounds
from gramian.plot._shap import (
    ShapDependenceDisplay,
    ShapSummaryDisplay,
    shap_dependence,
    shap_summary,
)
from gramian.plot._shap_waterfall import ShapWaterfallDisplay, shap_waterfall

__all__ = [
    "BiplotDisplay",
    "ClassDensitiesDisplay",
    "CoefficientsDisplay",
    "DendrogramDisplay",
    "EmbeddingDisplay",
    "FirstLayerDisplay",
    "LossCurveDisplay",
    "MixtureDisplay",
    "NetworkDisplay",
    "RegularizationPathDisplay",
    "ResidualsDisplay",
    "RoundsDisplay",
    "ScreeDisplay",
    "ShapDependenceDisplay",
    "ShapSummaryDisplay",
    "ShapWaterfallDisplay",
    "biplot",
    "class_densities",
    "coefficients",
    "dendrogram",
    "embedding",
    "first_layer",
    "loss_curve",
    "mixture_ellipses",
    "network",
    "regularization_path",
    "residuals",
    "rounds",
    "scree",
    "shap_dependence",
    "shap_summary",
    "shap_waterfall",
]
