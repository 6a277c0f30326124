"""Waiting for tasks of a cluster, so that it ends: by Ctrl-C, and by silence."""

import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from threading import Event
from typing import Any

from gramian.config import get_config

__all__ = ["results_in_order"]

_LOOK_SECONDS = 0.05  # between two looks at the tasks
_ALIVE = ("running", "connecting")
_AHEAD = 4  # tasks for each thread of the workers that are under way at once


def results_in_order(
    client: Any, futures: Iterable[Any], what: str, count: int, *, ahead: int | None = None
) -> Iterator[Any]:
    """Yield the results of tasks in their order; each is forgotten once it was handed out.

    Parameters
    ----------
    client : distributed.Client
        Whose tasks they are.
    futures : iterable of Future
        Tasks; the next are submitted as the first are done.
    what : str
        What a task gives, for messages: "partition", say.
    count : int
        How many there are.
    ahead : int, optional
        How many may be under way at once; by default some for each thread of the workers.
    """
    source, number = iter(futures), 0
    waiting: deque[Any] = deque()
    to_submit = ahead or _AHEAD * max(1, sum(client.nthreads().values()))
    while True:
        awaited = f"{what} {number} of {count}"
        with _told_of_the_end(client, awaited):
            waiting.extend(islice(source, to_submit))
            if not waiting:
                return
            _wait_for_first(client, waiting, awaited)
            to_submit = next((k for k, f in enumerate(waiting) if not f.done()), len(waiting))
            found = _gathered(client, [waiting.popleft() for _ in range(to_submit)], awaited)
        yield from found
        number += to_submit


@contextmanager
def _told_of_the_end(client: Any, what: str) -> Iterator[None]:
    """Raise ConnectionError, and say what was awaited, where the client is gone."""
    try:
        yield
    except Exception as error:
        if client.status in _ALIVE or isinstance(error, ConnectionError):
            raise
        raise _parted(client, what) from error


def _parted(client: Any, what: str) -> ConnectionError:
    return ConnectionError(
        f"The Dask client is {client.status}; {what} was awaited. Does the scheduler still run?"
    )


def _wait_for_first(client: Any, futures: Iterable[Any], what: str) -> None:
    """Return once the first of some tasks is done; TimeoutError if for long none of them is."""
    limit = get_config()["dask_timeout"]
    tasks = list(futures)
    is_done = Event()
    tasks[0].add_done_callback(lambda _: is_done.set())
    n_done, since = -1, time.monotonic()
    while not is_done.wait(_LOOK_SECONDS) and not tasks[0].done():
        found, now = sum(task.done() for task in tasks), time.monotonic()
        if found != n_done:
            n_done, since = found, now
        if client.status not in _ALIVE:
            raise _parted(client, what)
        if now - since > limit:
            raise _silence(limit, what)


def _gathered(client: Any, done: list[Any], what: str) -> list[Any]:
    """Return the results of tasks that are done."""
    import distributed

    limit = get_config()["dask_timeout"]

    async def gather() -> Any:
        return await client.gather(done, asynchronous=True)

    try:
        results: list[Any] = client.sync(gather, callback_timeout=limit)
    except TimeoutError as error:
        raise _silence(limit, what) from error
    except distributed.CancelledError as error:
        raise ConnectionError(f"Dask lost {what}. Does the scheduler still run?") from error
    return results


def _silence(limit: float, what: str) -> TimeoutError:
    return TimeoutError(
        f"Dask made no progress for {limit:g} seconds; {what} was awaited. Look at its workers, or "
        "allow more with gramian.config(dask_timeout=...)."
    )
