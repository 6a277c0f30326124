"""What memory the machine has left."""

import os

__all__ = ["available_bytes"]


def available_bytes() -> int | None:
    """Return what the system can still hand out, None where it does not say."""
    if not os.path.exists("/proc/meminfo"):
        return None
    with open("/proc/meminfo", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None
