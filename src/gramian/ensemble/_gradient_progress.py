"""What gradient boosting tells of its rounds while it runs."""

import time

__all__ = ["Progress"]


class Progress:
    """Prints the loss of the first ten rounds, of every tenth up to a hundred, and so on.

    Parameters
    ----------
    verbose : int
        Above one, every round is printed.
    n_rounds : int
        How many rounds there will be.
    begin : int
        How many rounds there are already.
    has_oob : bool
        Whether rows are left out.
    """

    def __init__(self, verbose: int, n_rounds: int, begin: int, has_oob: bool) -> None:
        self.verbose, self.n_rounds, self.begin, self.has_oob = verbose, n_rounds, begin, has_oob
        self.every, self.start = 1, time.perf_counter()
        titles = ["Train Loss", *(["OOB Improve"] if has_oob else []), "Remaining Time"]
        print(" ".join([f"{'Iter':>10}", *(f"{title:>16}" for title in titles)]))

    def tell(self, i: int, loss: float, improvement: float) -> None:
        """Print round `i`, if it is one of those that are printed."""
        done = i - self.begin + 1
        if done % self.every:
            return
        seconds = (self.n_rounds - i - 1) * (time.perf_counter() - self.start) / done
        rest = f"{seconds / 60:.2f}m" if seconds > 60 else f"{seconds:.2f}s"
        oob = [f"{improvement:>16.4f}"] if self.has_oob else []
        print(" ".join([f"{i + 1:>10d}", f"{loss:>16.4f}", *oob, f"{rest:>16}"]))
        if self.verbose == 1 and done // (self.every * 10) > 0:
            self.every *= 10
