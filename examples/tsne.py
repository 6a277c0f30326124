"""Handwritten digits on a map, each class in a colour with its name at its middle."""

import matplotlib.pyplot as plt

from gramian.datasets import load_digits
from gramian.manifold import TSNE
from gramian.plot import embedding

X, y = load_digits(return_X_y=True)
model = TSNE(random_state=0).fit(X)

figure, ax = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
embedding(model.embedding_, y, ax=ax)
ax.set_title("Digits of one kind are neighbours on the map")
figure.savefig("tsne.svg")
