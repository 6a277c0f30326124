"""A map from distances along streets, and how near its distances are to them."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.manifold import MDS

rng = np.random.default_rng(0)
cities = rng.uniform(0, 10, (60, 2))
streets = np.abs(cities[:, None] - cities).sum(axis=2)
pairs = np.triu_indices(len(cities), 1)

figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.8), layout="constrained")
for axis, is_metric in zip(axes, (True, False), strict=True):
    model = MDS(
        metric="precomputed", metric_mds=is_metric, init="classical_mds", max_iter=2000
    ).fit(streets)
    apart = np.linalg.norm(model.embedding_[:, None] - model.embedding_, axis=2)
    axis.scatter(streets[pairs], apart[pairs], s=4, alpha=0.4)
    stress = model.certificate_.details["stress_1"]
    axis.set_title(f"{'Distances' if is_metric else 'Their order'}: Stress-1 {stress:.3f}")
    axis.set_xlabel("distance along streets")
    axis.set_ylabel("distance on the map")
figure.savefig("mds.svg")
