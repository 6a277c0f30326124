"""Decision trees: grown, pruned, drawn and written out."""

from gramian._trees.entropy import information_gain
from gramian.tree._base import BaseDecisionTree as BaseDecisionTree
from gramian.tree._classifiers import DecisionTreeClassifier, ExtraTreeClassifier
from gramian.tree._export_graphviz import export_graphviz
from gramian.tree._export_rules import export_rules
from gramian.tree._export_text import export_text
from gramian.tree._id3 import ID3Classifier
from gramian.tree._oblivious import ObliviousTreeClassifier, ObliviousTreeRegressor
from gramian.tree._plot import plot_tree
from gramian.tree._regressors import DecisionTreeRegressor, ExtraTreeRegressor

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ID3Classifier",
    "ObliviousTreeClassifier",
    "ObliviousTreeRegressor",
    "export_graphviz",
    "export_rules",
    "export_text",
    "information_gain",
    "plot_tree",
]
