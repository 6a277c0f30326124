"""The calculation of a model, step by step, with its own numbers."""
