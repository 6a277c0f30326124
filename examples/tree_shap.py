"""What the features add to the predictions of a tree: all rows, and one row."""

import matplotlib.pyplot as plt

from gramian.datasets import load_diabetes
from gramian.inspection import tree_shap
from gramian.plot import shap_summary, shap_waterfall
from gramian.tree import DecisionTreeRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, y)
result = tree_shap(model, X)

figure, (left, right) = plt.subplots(1, 2, figsize=(12.0, 4.6), layout="constrained")
shap_summary(result, ax=left, max_display=8)
shap_waterfall(result, row=3, ax=right, max_display=8)
figure.savefig("tree_shap.svg")
