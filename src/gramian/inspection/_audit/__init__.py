"""What is wrong with a table, before any model has seen it."""
