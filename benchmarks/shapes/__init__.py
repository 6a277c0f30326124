"""Every registered model at shapes drawn at random, side by side with its peers.

Run ``python -m benchmarks.shapes`` from the root. A model takes part by being registered, if a peer
has a class of its name. What a row of the benchmark cannot show is looked for here: the order of
columns, narrow and wide tables, classes, types, weights, frames, one row at a time.
"""
