"""What searches have found, so that it stays mended."""

import numpy as np
import pytest
from scipy.sparse import bsr_array

from gramian.cluster import Birch, SpectralClustering
from gramian.compat.xgboost import XGBClassifier, XGBRegressor
from gramian.exceptions import InvalidParameterError
from gramian.linear_model import Ridge
from gramian.neighbors import RadiusNeighborsTransformer

X = np.random.default_rng(0).normal(size=(12, 2))
Y = (X[:, 0] > 0).astype(int)


def test_more_components_than_clusters_by_pivoted_qr():
    model = SpectralClustering(3, n_components=6, assign_labels="cluster_qr", random_state=0)
    assert model.fit(X).labels_.max() < 6
    assert np.isfinite(model.certificate_.objective)


@pytest.mark.filterwarnings("ignore:.*parts:UserWarning", "ignore:.*connected:UserWarning")
def test_neighbours_as_a_small_whole_number():
    small = SpectralClustering(
        2, n_neighbors=np.int8(5), affinity="nearest_neighbors", random_state=0
    )
    same = SpectralClustering(2, n_neighbors=5, affinity="nearest_neighbors", random_state=0)
    assert (small.fit(np.tile(X, (4, 1))).labels_ == same.fit(np.tile(X, (4, 1))).labels_).all()


def test_branches_beyond_memory():
    with pytest.raises(InvalidParameterError, match="branching_factor"):
        Birch(branching_factor=2**31).fit(X)


def test_a_radius_beyond_64_bits():
    graph = RadiusNeighborsTransformer(radius=10**30).fit_transform(X)
    assert graph.shape == (12, 12)


def test_sparse_rows_near_the_end_of_double():
    rows = X.copy()
    rows[3, 1] = 1.7e308
    with pytest.raises(ValueError, match="Scale X"):
        Ridge().fit(bsr_array(rows), X[:, 0])


def test_what_xgboost_takes_for_missing_and_starts_from():
    with pytest.raises((TypeError, ValueError), match="missing"):
        XGBClassifier(n_estimators=2, missing=object).fit(X, Y)
    with pytest.raises(ValueError, match="base_score must be finite"):
        XGBRegressor(n_estimators=2, base_score=[None]).fit(X, X[:, 0])
