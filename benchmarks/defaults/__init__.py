"""Models at their defaults on the tables of a folder: what somebody gets who fits once.

Run ``python -m benchmarks.defaults FOLDER`` from the root. The folder holds ``load.py`` with
``names(task=, kind=)`` and ``load(name)``, which returns a data frame or matrix and a target.
"""
