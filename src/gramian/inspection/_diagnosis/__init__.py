"""Whether the hypotheses of a model hold on the data."""
