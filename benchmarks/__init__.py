"""Benchmarks: gramian and its peers side by side. Run ``python -m benchmarks`` from the root.

Numerical libraries read their number of threads once, when they are loaded. So it is set here,
before any of them is, for this process and those it starts; ``BENCH_THREADS`` changes it.
"""

import os

THREADS = int(os.environ.get("BENCH_THREADS", "2"))

for _library in ("GRAMIAN", "OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = str(THREADS)
if hasattr(os, "sched_setaffinity"):  # oneDAL's threads listen to no variable, but to this
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
