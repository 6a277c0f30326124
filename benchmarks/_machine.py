"""Facts about the machine and the software that a number was measured with."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks import THREADS

_DISTRIBUTIONS = ("gramian", "scikit-learn", "scikit-learn-intelex", "numpy", "scipy")


def machine_facts() -> dict[str, str]:
    """Return what a reader needs to judge the numbers."""
    from gramian import _core

    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores, gramian's level {_core.cpu_level()}",
        "memory": f"{memory / 2**30:.0f} GiB",
        "threads": str(THREADS),
        "versions": ", ".join([f"Python {platform.python_version()}", *_versions()]),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "load before": f"{os.getloadavg()[0]:.1f} (others' processes make ratios noisy)",
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _versions() -> list[str]:
    found = []
    for name in _DISTRIBUTIONS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    return found
