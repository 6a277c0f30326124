"""The engine of boosting: bins, rounds, losses, samples, DART, ordered boosting, the model."""
