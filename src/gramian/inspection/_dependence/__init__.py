"""How predictions depend on a few features: curves, surfaces, boundaries."""
