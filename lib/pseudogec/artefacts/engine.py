"""Builds missing artefacts: each missing recipe becomes a Dask task whose key names recipe and
store.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shlex
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pseudogec.artefacts import cluster as clusters
from pseudogec.artefacts.cluster import ClusterSection
from pseudogec.artefacts.errors import UserError
from pseudogec.artefacts.plan import Estimator
from pseudogec.artefacts.processor import cores_of_this_machine, gpus_of_this_machine
from pseudogec.artefacts.progress import ProgressLine, TimeLeft
from pseudogec.artefacts.recipe import Recipe, with_ancestors
from pseudogec.artefacts.store import Store, missing

if TYPE_CHECKING:
    from distributed import Client, Future

log = logging.getLogger(__name__)
TOPIC = "artefacts-progress"


class BuildError(UserError):
    """Some artefacts could not be built; all that do not depend on them were."""


def _reason(recipe: Recipe, error: BaseException, store: Store) -> str:
    from distributed import KilledWorker

    if isinstance(error, UserError):
        return str(error)
    reason = f"{type(error).__name__}: {error}"
    if isinstance(error, KilledWorker):
        reason = (
            f"{error.allowed_failures + 1} workers died with it, mostly for lack of memory; "
            "use fewer at a time (--jobs)"
        )
    log = store.root / ".work" / recipe.key / "log.txt"
    return f"{reason} (traceback in {log})" if log.exists() and log.stat().st_size else reason


class Engine:
    """Builds recipes on a Dask cluster, started when there is something to build and kept until
    ``close``.

    Args:
        store: all workers must see it under the same path.
        scheduler: address of a running Dask scheduler.
        workers: of the local cluster, if there is no scheduler or section; one for each core by
            default, or for each GPU if more.
        section: a deployment to start, as the configuration says.
    """

    def __init__(
        self,
        store: Store,
        scheduler: str | None = None,
        workers: int | None = None,
        display: ProgressLine | None = None,
        section: ClusterSection | None = None,
    ) -> None:
        self.store = store
        self.workers = workers or max(cores_of_this_machine(), len(gpus_of_this_machine()))
        self.display = display or ProgressLine(None)
        self.scheduler = scheduler
        self._section = section
        self._exit = contextlib.ExitStack()
        self._client: Client | None = None
        self._in_work: dict[str, Recipe] = {}

    def build(self, targets: Sequence[Recipe], in_full: bool = False) -> int:
        """Build the artefacts that the store lacks; returns their number. ``in_full`` is as of
        `missing`.

        Raises:
            BuildError: some artefacts failed. All others are in the store.
            UserError: no scheduler answers, or it went away; the deployment cannot be started.
        """
        todo = missing(targets, self.store, in_full)
        if not todo:
            return 0
        client = self.connect()
        gpus, failed = clusters.gpus_of_workers(client), dict[str, BaseException]()
        if self._section and not self.scheduler:
            gpus = gpus[:1] * self._section.jobs  # others may still wait in a queue
        time_left = TimeLeft(
            todo, Estimator(self.store), len(gpus), sum(number > 0 for number in gpus)
        )
        self._in_work = {recipe.key: recipe for recipe in todo}
        with self.display.building(time_left, len(with_ancestors(targets))):
            for recipe, error in self._run(client, todo, max(gpus)):
                if error is None:
                    self.display.finished(recipe)
                else:
                    failed[recipe.key] = error
        # A task whose parent failed carries the parent's exception: name the artefacts that failed
        # by themselves.
        causes = [
            recipe
            for recipe in todo
            if recipe.key in failed and not any(p.key in failed for p in recipe.parents)
        ]
        if causes:
            reasons = (
                f"{cause.kind} {cause.label}: {_reason(cause, failed[cause.key], self.store)}"
                for cause in causes
            )
            raise BuildError("\n".join(reasons))
        return len(todo)

    def _show(self, event: Any) -> None:
        message = event[1]
        # Else another program's, with which it shares the scheduler
        if recipe := self._in_work.get(message["key"]):
            self.display.progress(recipe, message["done"], message["total"], message["text"])

    def _run(
        self, client: Client, todo: Sequence[Recipe], gpus: int
    ) -> Iterator[tuple[Recipe, BaseException | None]]:
        """Hand the tasks to the scheduler; yields each as it ends, with its error if it failed."""
        from distributed import as_completed

        futures: dict[str, Future] = {}
        # A scheduler may serve programs with other stores, whose tasks need other keys.
        place = hashlib.sha256(str(self.store.root).encode()).hexdigest()[:16]
        launcher = self._section.launcher if self._section else ()
        try:
            for recipe in todo:
                futures[recipe.key] = client.submit(
                    build_artefact,
                    recipe,
                    str(self.store.root),
                    launcher,
                    *(futures[parent.key] for parent in recipe.parents if parent.key in futures),
                    key=f"{recipe.kind}-{recipe.key}-{place}",
                    resources={"GPU": gpus if recipe.takes_whole_worker else 1}
                    if gpus and recipe.needs_gpu
                    else None,
                    pure=False,
                )
            owners = {
                future.key: recipe for recipe, future in zip(todo, futures.values(), strict=True)
            }
            for future in as_completed(futures.values(), loop=client.loop):
                if future.cancelled():
                    raise UserError(
                        f"the Dask scheduler at {self.address} went away; start it "
                        "again and run the same command"
                    )
                yield (
                    owners[future.key],
                    None if future.status == "finished" else future.exception(),
                )
        finally:
            # The scheduler keeps the outcome of a key as long as its future is held; a failed step
            # must be able to run again.
            for future in futures.values():
                future.release()

    @property
    def address(self) -> str | None:
        """Address of the scheduler in use, for other processes that are to share it."""
        return self._client.scheduler.address if self._client is not None else self.scheduler

    def close(self) -> None:
        """Stop the local cluster; a scheduler given by address is left running."""
        self._exit.close()
        self._client = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def connect(self) -> Client:
        """The client of the cluster, which is started if it is not running, and has a worker;
        errors are those of `build`.
        """
        if self._client is None:
            where: Any = self.scheduler
            if where is None and self._section is not None:
                where = self._exit.enter_context(clusters.deployment(self._section))
            elif where is None:
                where = self._exit.enter_context(clusters.local_cluster(self.workers))
            client = self._exit.enter_context(clusters.connect(where))
            if not clusters.gpus_of_workers(client):
                log.warning(
                    "waiting for a first worker, such as: dask worker %s --nthreads 1",
                    client.scheduler.address,
                )
                client.wait_for_workers(1)
            clusters.check_workers(client, self.store.root)
            client.subscribe_topic(TOPIC, self._show)
            self._client = client
        return self._client


def build_artefact(recipe: Recipe, root: str, launcher: Sequence[str], *_parents: object) -> str:
    """The Dask task: build one artefact in the worker. The parents are arguments so that Dask runs
    them first.
    """
    from distributed import get_worker

    worker = get_worker()
    # Training keeps settings of its process, which two tasks would share
    if worker.state.nthreads > 1:
        raise UserError(
            f"the worker {worker.address} has {worker.state.nthreads} threads; start "
            "workers with --nthreads 1"
        )
    # An empty one too: another program may have set it here
    os.environ[clusters.LAUNCHER] = shlex.join(launcher)
    last = 0.0

    def progress(done: float, total: float, text: str = "") -> None:
        nonlocal last
        if time.monotonic() - last > 0.5:
            last = time.monotonic()
            worker.log_event(TOPIC, {"key": recipe.key, "done": done, "total": total, "text": text})

    progress(0, 1)
    store = Store(root)
    store.build(recipe, lambda item, folder: item.build(folder, store, progress))
    return recipe.key
