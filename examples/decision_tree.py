"""A decision tree of three levels, with the share of the rows and classes at each node."""

import matplotlib.pyplot as plt

from gramian.datasets import load_iris
from gramian.tree import DecisionTreeClassifier, plot_tree

iris = load_iris()
model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(iris.data, iris.target)

figure, axes = plt.subplots(figsize=(8.0, 5.0), layout="constrained")
plot_tree(model, feature_names=iris.feature_names, class_names=iris.target_names, ax=axes)
figure.savefig("decision_tree.svg")
