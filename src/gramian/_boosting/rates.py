"""The learning rate that CatBoost chooses where the user names none."""

import math

__all__ = ["DEFAULT_RATE", "chosen_rate"]

DEFAULT_RATE = 0.03
_MOST = 0.5
_USUAL_ROUNDS = 1000

# (loss, best round kept, scores from the average) -> power of the rows, power of the rounds, and
# logarithm of the rate of 1000 rounds on one row; measured on models of CatBoost 1.2.10.
_LAWS = {
    ("squared_error", False, True): (0.158, -0.813, -4.287),
    ("squared_error", False, False): (0.178, -0.76, -4.473),
    ("squared_error", True, True): (0.157, -0.61, -4.062),
    ("squared_error", True, False): (0.189, -0.623, -4.383),
    ("logistic", False, False): (0.427, -0.917, -7.525),
    ("logistic", False, True): (0.408, -0.928, -7.299),
    ("logistic", True, False): (0.247, -0.435, -5.158),
    ("logistic", True, True): (0.246, -0.451, -5.127),
    ("softmax", False, False): (0.051, -0.845, -2.889),
    ("softmax", False, True): (0.051, -0.845, -2.889),
    ("softmax", True, False): (0.02, -0.382, -2.364),
    ("softmax", True, True): (0.02, -0.382, -2.364),
}


def chosen_rate(
    loss: str, n_rows: int, n_rounds: int, *, keeps_best: bool, from_average: bool
) -> float:
    """Return the learning rate: ``c * n_rows ** a * (n_rounds / 1000) ** b``, at most 0.5.

    Parameters
    ----------
    loss : str
        Name of the loss; of any but these three the rate is 0.03.
    n_rows, n_rounds : int
        Number of training rows, and of rounds.
    keeps_best : bool
        Whether the rounds up to the best one are kept.
    from_average : bool
        Whether scores start at the best constant.
    """
    law = _LAWS.get((loss, keeps_best, from_average))
    if law is None:
        return DEFAULT_RATE
    rows, rounds, start = law
    rate = math.exp(
        start + rows * math.log(max(n_rows, 1)) + rounds * math.log(n_rounds / _USUAL_ROUNDS)
    )
    return min(_MOST, round(rate, 6))
