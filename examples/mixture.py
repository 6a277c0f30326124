"""Two columns of iris with the ellipses of three normal components."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import load_iris
from gramian.mixture import GaussianMixture

X, _ = load_iris(return_X_y=True)
X = np.asarray(X)[:, [0, 2]]
model = GaussianMixture(3, random_state=0, n_init=5).fit(X)
parts = model.predict(X)

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
angle = np.linspace(0.0, 2.0 * np.pi, 200)
circle = np.column_stack([np.cos(angle), np.sin(angle)])
for k, colour in enumerate(["tab:blue", "tab:orange", "tab:green"]):
    ax.scatter(*X[parts == k].T, s=14, color=colour)
    root = np.linalg.cholesky(model.covariances_[k])
    for radius in (1, 2):
        ax.plot(*(model.means_[k] + radius * circle @ root.T).T, color=colour, lw=1.2)
ax.set(xlabel="sepal length (cm)", ylabel="petal length (cm)")
ax.set_title("One and two standard deviations of each component: ellipses may tilt")
figure.savefig("mixture.svg")
