"""An S-shaped sheet, laid flat by the four methods of locally linear embedding."""

import matplotlib.pyplot as plt

from gramian.datasets import make_s_curve
from gramian.manifold import LocallyLinearEmbedding

X, along = make_s_curve(1000, random_state=0)
figure, axes = plt.subplots(1, 4, figsize=(10.4, 2.9), layout="constrained")
for ax, method in zip(axes, ["standard", "modified", "hessian", "ltsa"], strict=True):
    model = LocallyLinearEmbedding(n_neighbors=12, method=method, random_state=0)
    ax.scatter(*model.fit_transform(X).T, c=along, cmap="viridis", s=6)
    ax.set_title(f'method="{method}"')
    ax.set_xticks([])
    ax.set_yticks([])
figure.savefig("locally_linear.svg")
