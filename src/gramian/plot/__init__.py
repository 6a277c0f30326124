"""Pictures of models; they need matplotlib: ``pip install "gramian[plot]"``."""

from gramian.plot._residuals import ResidualsDisplay, residuals

__all__ = ["ResidualsDisplay", "residuals"]
