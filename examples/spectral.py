"""Two moons: the clusters of their graph of neighbours, and its first coordinate."""

import matplotlib.pyplot as plt

from gramian.cluster import SpectralClustering
from gramian.datasets import make_moons
from gramian.manifold import SpectralEmbedding

X, _ = make_moons(400, noise=0.06, random_state=0)
clusters = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=12, random_state=0)
embedding = SpectralEmbedding(n_components=1, n_neighbors=12, random_state=0)

figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.4), layout="constrained")
axes[0].scatter(*X.T, c=clusters.fit_predict(X), cmap="coolwarm", s=12)
axes[0].set_title("Clusters with few edges between them")
drawn = axes[1].scatter(*X.T, c=embedding.fit_transform(X).ravel(), cmap="viridis", s=12)
axes[1].set_title("The coordinate that varies least along edges")
figure.colorbar(drawn, ax=axes[1])
figure.savefig("spectral.svg")
