"""Eigen-solvers over implicitly centred rows: what PCA and its kin rest on."""
