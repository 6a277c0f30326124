"""Two circles told apart by the components of a kernel."""

import matplotlib.pyplot as plt

from gramian.datasets import make_circles
from gramian.decomposition import KernelPCA

X, y = make_circles(n_samples=400, factor=0.3, noise=0.05, random_state=32)
Z = KernelPCA(n_components=2, kernel="rbf", gamma=2).fit_transform(X)

figure, (rows, components) = plt.subplots(1, 2, figsize=(8.0, 3.8), layout="constrained")
for label, colour in ((0, "tab:blue"), (1, "tab:orange")):
    rows.scatter(*X[y == label].T, s=10, color=colour)
    components.scatter(*Z[y == label].T, s=10, color=colour)
rows.set(title="The rows", xlabel="x₁", ylabel="x₂", aspect="equal")
components.set(title="Kernel components", xlabel="first component", ylabel="second component")
figure.savefig("kernel_pca.svg")
