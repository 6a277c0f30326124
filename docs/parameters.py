"""What the reference shows of a class: each parameter with its own entry and its real default."""

import sys
from pathlib import Path
from typing import Any

import griffe

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
import parameter_docs  # beside this package, in tools/


class CompleteParameters(griffe.Extension):
    """Complete the docstrings of models before they are read."""

    def on_class_instance(self, *, node: Any, cls: Any, **kwargs: Any) -> None:
        """Replace the docstring of a class whose constructor is declared."""
        model = getattr(node, "obj", None)
        if cls.docstring is not None and hasattr(model, "_declared_params"):
            cls.docstring.value = parameter_docs.completed(model)
