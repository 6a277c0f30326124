"""Regression on few directions of a spectrum: partial least squares, principal components."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.cross_decomposition import PLSRegression
from gramian.decomposition import PCA
from gramian.linear_model import LinearRegression

rng = np.random.default_rng(0)
channels = np.linspace(0.0, 1.0, 200)
bands = np.exp(-((channels - rng.uniform(size=(8, 1))) ** 2) / 0.01)
amounts = rng.uniform(size=(300, 8))
spectra = amounts * [8.0, 6.0, 5.0, 4.0, 3.0, 2.0, 2.0, 2.0] @ bands
spectra += 0.1 * rng.normal(size=spectra.shape)
y = amounts[:, -3:].sum(axis=1)
train, test = slice(0, 100), slice(100, None)

counts = np.arange(1, 11)
scores = {"partial least squares": [], "principal components": []}
for k in counts:
    pls = PLSRegression(k, scale=False).fit(spectra[train], y[train])
    scores["partial least squares"].append(pls.score(spectra[test], y[test]))
    pca = PCA(k).fit(spectra[train])
    model = LinearRegression().fit(pca.transform(spectra[train]), y[train])
    scores["principal components"].append(model.score(pca.transform(spectra[test]), y[test]))

figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for (name, values), colour in zip(scores.items(), ("tab:blue", "tab:orange"), strict=True):
    ax.plot(counts, values, "o-", color=colour, label=name)
ax.set(xlabel="number of directions", ylabel="R² on new rows", xticks=counts)
ax.legend(frameon=False)
figure.savefig("pls.svg")
