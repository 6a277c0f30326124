"""Handwritten digits as sums of parts, beside principal components of both signs."""

import matplotlib.pyplot as plt

from gramian.datasets import load_digits
from gramian.decomposition import NMF, PCA

X, _ = load_digits(return_X_y=True)
models = (NMF(10, random_state=0, max_iter=1000), PCA(10))
titles = ("non-negative parts", "principal components (blue is negative)")

figure, axes = plt.subplots(4, 5, figsize=(6.4, 5.8), layout="constrained")
for half, (model, title) in enumerate(zip(models, titles, strict=True)):
    components = model.fit(X).components_
    axes[2 * half, 2].set_title(title)
    for ax, part in zip(axes[2 * half : 2 * half + 2].flat, components, strict=True):
        largest = abs(part).max()
        ax.imshow(part.reshape(8, 8), cmap="RdBu_r", vmin=-largest, vmax=largest)
        ax.set(xticks=[], yticks=[])
figure.savefig("nmf.svg")
