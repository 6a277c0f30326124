"""Columns of text and categories as codes of their levels, for models that take them so."""
