"""The engine of linear models: centred problems, solvers, what estimators share."""
