"""A contender in a process of its own, in whichever interpreter has it installed.

Reads jobs from standard input and writes answers to standard output, one line of JSON each.
"""

import json
import os
import sys
import time
import traceback
import warnings
from typing import Any

from benchmarks.defaults.contenders import build, predicted, prepare
from benchmarks.defaults.tables import error_of, split_table


def main() -> None:
    """Answer job after job until the input ends."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    for line in sys.stdin:
        try:
            answer = measure(json.loads(line))
        except Exception as error:
            kind = traceback.format_exception_only(error)[-1].strip()
            answer = {"failure": kind[:300]}
        print(json.dumps(answer), file=answers, flush=True)


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Return error and times of one fit."""
    split = split_table(job["folder"], job["table"], job["most_rows"], job["hold_out"])
    X, X_new = prepare(job["contender"], split.X, split.X_new)
    model = build(
        job["contender"],
        is_classification=split.is_classification,
        seed=job["hold_out"],
        n_threads=job["threads"],
        params=job["params"],
    )
    start = time.perf_counter(), time.process_time()
    model.fit(X, split.y)
    fitted = time.perf_counter()
    found = predicted(model, X_new, is_classification=split.is_classification)
    return {
        "error": error_of(split, found),
        "fit_s": fitted - start[0],
        "cpu_s": time.process_time() - start[1],
        "rows": len(split.y),
        "columns": X.shape[1],
        "classes": split.n_classes,
    }


if __name__ == "__main__":
    main()
