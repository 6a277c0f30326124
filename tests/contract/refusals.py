"""What the words of a refusal must name, so that an accidental error is not taken for one."""

import re

ONE_CLASS = r"\b(one|1) class\b"
FEW_ROWS = (
    r"n_splits|min_resources|\d-fold cross-validation|minimum of \d+ is required|"
    r"Expected n_neighbors <=? n_samples(_fit)?\b|should be >= n_clusters|n_clusters should be <=|"
    r"n_samples >= n_components|"
    r"only 1 sample in class|number of samples must be more|"
    r"perplexity \(.*\) must be less than n_samples|"
    r"must be (at most|no greater than) the number of samples|requires more than one sample"
)
WRONG_SHAPE = r"square matrix|2d array with 1 feature"
NOTHING_TO_LEARN = (
    r"variance threshold|constant predictions|zero variance|worse than random|"
    r"least number of single precision|not full rank|not positive definite|"
    r"all of them are zero"
)
TOO_LARGE = r"too large|overflow|maximum value >|out of the range of numbers"


def assert_names(error: Exception, *reasons: str, of: object = "") -> None:
    """Assert that the error names one of the reasons, which are regular expressions.

    `of` says in a failure what was tried.
    """
    assert any(re.search(reason, str(error)) for reason in reasons), (of, repr(error))
