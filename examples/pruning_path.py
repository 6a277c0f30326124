"""Cross-validated error of the subtrees of a decision tree, and the two rules that choose one."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import load_diabetes
from gramian.tree import DecisionTreeRegressor

patients = load_diabetes()
trees = {
    rule: DecisionTreeRegressor(prune=rule, random_state=0).fit(patients.data, patients.target)
    for rule in ("cv", "1se")
}
found = trees["cv"].pruning_errors_
shown = found.ccp_alphas > 5.0

figure, axes = plt.subplots(figsize=(8.0, 4.5), layout="constrained")
axes.fill_between(
    found.ccp_alphas[shown],
    (found.errors - found.standard_errors)[shown],
    (found.errors + found.standard_errors)[shown],
    step="post",
    alpha=0.2,
    label="one standard error",
)
axes.step(
    found.ccp_alphas[shown], found.errors[shown], where="post", label="error on rows left out"
)
for (rule, tree), color in zip(trees.items(), ("C1", "C2"), strict=True):
    label = f'prune="{rule}": {tree.get_n_leaves()} leaves'
    axes.axvline(tree.ccp_alpha_, color=color, linestyle="--", label=label)
axes.set(xscale="log", xlabel="price of a leaf", ylabel="mean squared error")
axes.set_ylim(0.9 * found.errors.min(), np.max(found.errors[shown]) * 1.05)
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
figure.savefig("pruning_path.svg")
