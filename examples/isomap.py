"""An S-shaped sheet in space, and unrolled by the distances along it."""

import matplotlib.pyplot as plt

from gramian.datasets import make_s_curve
from gramian.manifold import Isomap

X, along = make_s_curve(1000, noise=0.03, random_state=0)
model = Isomap(n_neighbors=10).fit(X)

figure = plt.figure(figsize=(8.4, 3.4), layout="constrained")
space = figure.add_subplot(1, 2, 1, projection="3d")
space.scatter(*X.T, c=along, cmap="viridis", s=8)
space.view_init(elev=10, azim=-75)
space.set_title("Rows in space")
flat = figure.add_subplot(1, 2, 2)
flat.scatter(*model.embedding_.T, c=along, cmap="viridis", s=8)
flat.set_aspect("equal")
flat.set_title("Points with the distances along the sheet")
figure.savefig("isomap.svg")
