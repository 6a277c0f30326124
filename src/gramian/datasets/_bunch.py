"""A dictionary whose keys can also be read as attributes."""

from typing import Any


class Bunch(dict[str, Any]):
    """A dictionary whose keys can also be read and set as attributes.

    Examples
    --------
    >>> from gramian.datasets import Bunch
    >>> bunch = Bunch(data=[1, 2])
    >>> bunch.data
    [1, 2]
    >>> bunch.target = 3
    >>> bunch["target"]
    3
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(kwargs)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Leave out attributes of old pickles: the keys are all there is."""

    def __getattr__(self, key: str) -> Any:
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __dir__(self) -> list[str]:
        return list(self)
