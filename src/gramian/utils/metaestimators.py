"""For writers of estimators that are built around others."""

from gramian._composition import available_if

__all__ = ["available_if"]
