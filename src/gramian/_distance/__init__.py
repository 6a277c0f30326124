"""Searches by distance: the nearest rows, and all rows within a radius."""
