"""How well a model does on rows that it has not seen."""

from gramian.model_selection._split import KFold, StratifiedKFold
from gramian.model_selection._validation import cross_validate

__all__ = ["KFold", "StratifiedKFold", "cross_validate"]
