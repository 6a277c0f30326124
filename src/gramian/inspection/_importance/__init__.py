"""Which features a model needs: losses when a column is shuffled."""
