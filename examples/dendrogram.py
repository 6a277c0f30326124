"""The last merges of a long table, and the cut that makes four clusters."""

from gramian.cluster import AgglomerativeClustering
from gramian.datasets import make_blobs
from gramian.plot import dendrogram

X, _ = make_blobs(10_000, centers=4, random_state=2)
display = dendrogram(AgglomerativeClustering(4).fit(X))
display.figure_.savefig("dendrogram.svg")
