"""Eigenvalues of the covariance of 40 rows in 30 columns: as it is, shrunk, and in truth."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.covariance import OAS, EmpiricalCovariance, LedoitWolf

rng = np.random.default_rng(0)
scale = np.geomspace(1.0, 2.0, 30)
X = rng.normal(size=(40, 30)) * scale

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
ax.plot(np.sort(scale**2)[::-1], color="black", label="truth")
for model, colour in (
    (EmpiricalCovariance(), "tab:gray"),
    (LedoitWolf(), "tab:blue"),
    (OAS(), "tab:orange"),
):
    values = np.linalg.eigvalsh(model.fit(X).covariance_)[::-1]
    ax.plot(values, color=colour, label=type(model).__name__)
ax.set(xlabel="eigenvalue", ylabel="variance", title="Few rows: large too large, small too small")
ax.legend()
figure.savefig("covariance.svg")
