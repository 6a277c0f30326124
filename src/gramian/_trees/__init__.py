"""The engine of trees: the flat format, growing, pruning, forests, prediction by trees."""
