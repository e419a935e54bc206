"""Builds missing artefacts: each missing recipe becomes a Dask task whose key names recipe and store."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shlex
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from artefacts import cluster as clusters
from artefacts.cluster import ClusterSection
from artefacts.errors import UserError
from artefacts.memory import end_if_exhausted, end_without_memory
from artefacts.plan import Estimator
from artefacts.progress import Display
from artefacts.recipe import Recipe, with_ancestors
from artefacts.store import CheckedStore, Store, missing
from artefacts.time_left import TimeLeft

if TYPE_CHECKING:
    from distributed import Client, Future

log = logging.getLogger(__name__)

TOPIC = "artefacts-progress"


class BuildError(UserError):
    """Some artefacts could not be built; all that do not depend on them were.

    Attributes:
        failures: (recipe, exception) of each artefact that failed by itself.
    """

    def __init__(self, failures: Sequence[tuple[Recipe, BaseException]], store: Store) -> None:
        self.failures = list(failures)
        lines = [_explain(recipe, error, store) for recipe, error in self.failures]
        super().__init__("\n".join(lines))


def _explain(recipe: Recipe, error: BaseException, store: Store) -> str:
    from distributed import KilledWorker

    if isinstance(error, UserError):
        return f"{recipe.kind} {recipe.label}: {error}"
    log = store.root / ".work" / recipe.key / "log.txt"
    where = f" (traceback in {log})" if log.exists() and log.stat().st_size else ""
    if isinstance(error, KilledWorker):
        return (
            f"{recipe.kind} {recipe.label}: {error.allowed_failures + 1} workers died with it, mostly for lack of memory; "
            f"use fewer at a time (--jobs), or give each more{where}"
        )
    return f"{recipe.kind} {recipe.label}: {type(error).__name__}: {error}{where}"


class Capacity(NamedTuple):
    """What a cluster builds with.

    Attributes:
        workers: artefacts that are built at a time.
        with_gpus: how many of the workers have GPUs.
        gpus: of the worker that has most.
    """

    workers: int
    with_gpus: int
    gpus: int


class Engine:
    """Builds recipes on a Dask cluster, started when there is something to build and kept until ``close``.

    Args:
        store: where artefacts go; all workers must see it under the same path.
        scheduler: address of a running Dask scheduler.
        workers: processes of the local cluster, which is started without a scheduler or a section.
        display: shows progress.
        section: a deployment to start, as the profile says.

    Raises:
        UserError: fewer than one worker is asked for.
    """

    def __init__(
        self,
        store: Store,
        scheduler: str | None = None,
        workers: int | None = None,
        display: Display | None = None,
        section: ClusterSection | None = None,
    ) -> None:
        if workers is not None and workers < 1:
            raise UserError(f"{workers} workers cannot build anything; at least 1 is needed")
        self.store = store
        self.workers = workers or clusters.default_workers()
        self.display = display or Display()
        self.scheduler = scheduler
        self._deployment = None if scheduler else section
        self._launcher = section.launcher if section else ()
        self._exit = contextlib.ExitStack()
        self._client: Client | None = None

    def build(self, targets: Sequence[Recipe], in_full: bool = False) -> int:
        """Build the artefacts that the store lacks; returns their number.

        Args:
            targets: what is asked for.
            in_full: as of `missing`.

        Raises:
            BuildError: some artefacts failed. All others are in the store.
            UserError: no scheduler answers, or it went away; the deployment cannot be started.
        """
        todo = missing(targets, self.store, in_full)
        if not todo:
            return 0
        client, capacity = self.connect(), self.capacity()
        failed: dict[str, BaseException] = {}
        needed = len(with_ancestors(targets))
        time_left = TimeLeft(todo, Estimator(self.store), capacity.workers, capacity.with_gpus)
        with self.display.building(time_left, needed), self._listening(client, todo):
            for recipe, error in self._run(client, todo, capacity.gpus):
                if error is None:
                    self.display.finished(recipe)
                else:
                    failed[recipe.key] = error
        # A task whose parent failed carries the parent's exception: name the artefacts that failed by themselves.
        causes = [recipe for recipe in todo if recipe.key in failed and not any(p.key in failed for p in recipe.parents)]
        if causes:
            raise BuildError([(recipe, failed[recipe.key]) for recipe in causes], self.store)
        return len(todo)

    def capacity(self) -> Capacity:
        """The workers of the cluster, which is started if it is not running.

        Raises:
            UserError: as of `connect`; a worker does several tasks at a time.
        """
        workers = self.connect().scheduler_info(n_workers=-1)["workers"]
        clusters.refuse_threads((address, worker["nthreads"]) for address, worker in workers.items())
        if self._deployment is not None:  # its workers come when the batch system has room for them
            expected, gpus = self._deployment.largest, self._deployment.gpus_per_worker
            return Capacity(expected, expected if gpus else 0, gpus)
        with_gpus = sum(clusters.gpus_of([worker]) > 0 for worker in workers.values())
        return Capacity(max(len(workers), 1), with_gpus, clusters.gpus_of(workers.values()))

    def _run(self, client: Client, todo: Sequence[Recipe], gpus: int) -> Iterator[tuple[Recipe, BaseException | None]]:
        """Hand the tasks to the scheduler; yields each as it ends, with its error if it failed."""
        from distributed import as_completed

        futures: dict[str, Future] = {}
        # A scheduler may serve programs with other stores, whose tasks need other keys.
        place = hashlib.sha256(str(self.store.root).encode()).hexdigest()[:16]
        try:
            for recipe in todo:
                futures[recipe.key] = client.submit(
                    build_artefact,
                    recipe,
                    str(self.store.root),
                    self._launcher,
                    *(futures[parent.key] for parent in recipe.parents if parent.key in futures),
                    key=f"{recipe.kind}-{recipe.key}-{place}",
                    resources=_resources(recipe, gpus),
                    pure=False,
                )
            owners = {future.key: recipe for recipe, future in zip(todo, futures.values(), strict=True)}
            for future in as_completed(futures.values(), loop=client.loop):
                if future.cancelled():
                    raise UserError(
                        f"the Dask scheduler at {self.address} went away; what is finished is in the store: "
                        "start it again and run the same command to continue"
                    )
                yield owners[future.key], None if future.status == "finished" else future.exception()
        finally:
            # The scheduler keeps the outcome of a key as long as its future is held; a failed step must be able to run again.
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
        """The client of the cluster, which is started if it is not running.

        Raises:
            UserError: no scheduler answers; the deployment cannot be started.
        """
        if self._client is None:
            clusters.keep_time_steady()
            end_without_memory()
            if self.scheduler is not None:
                client = self._exit.enter_context(clusters.connect(self.scheduler))
                if not client.scheduler_info(n_workers=-1)["workers"]:
                    log.warning(
                        "the scheduler at %s has no workers yet: dask worker %s --nthreads 1", self.scheduler, self.scheduler
                    )
                clusters.expect_losses(client)
            elif self._deployment is not None:
                cluster = self._exit.enter_context(clusters.deployment(self._deployment))
                client = self._exit.enter_context(clusters.connect(cluster))
                clusters.expect_losses(client)
                clusters.enlist(cluster, self._deployment)
            else:
                cluster = self._exit.enter_context(clusters.local_cluster(self.workers))
                client = self._exit.enter_context(clusters.connect(cluster))
            clusters.keep_workers_busy(client)
            self._client = client
        return self._client

    @contextlib.contextmanager
    def _listening(self, client: Client, todo: Sequence[Recipe]) -> Iterator[None]:
        known = {recipe.key: recipe for recipe in todo}

        def show(event: Any) -> None:
            _, message = event
            if message["key"] in known:
                self.display.progress(known[message["key"]], message["done"], message["total"], message["text"])

        client.subscribe_topic(TOPIC, show)
        try:
            yield
        finally:
            client.unsubscribe_topic(TOPIC)


def build_artefact(recipe: Recipe, root: str, launcher: Sequence[str], *_parents: object) -> str:
    """The Dask task: build one artefact in the worker. The parents are arguments so that Dask runs them first."""
    from distributed import get_worker

    worker = get_worker()
    clusters.refuse_threads([(worker.address, worker.state.nthreads)])
    clusters.keep_freed_memory()
    clusters.keep_time_steady()
    end_without_memory()
    os.environ[clusters.LAUNCHER] = shlex.join(launcher)  # an empty one too: another program may have set it here
    last = 0.0

    def progress(done: float, total: float, text: str = "") -> None:
        nonlocal last
        if time.monotonic() - last > 0.5:
            last = time.monotonic()
            worker.log_event(TOPIC, {"key": recipe.key, "done": done, "total": total, "text": text})

    progress(0, 1)
    store = CheckedStore(Path(root))
    try:
        store.build(recipe, lambda item, folder: item.build(folder, store, progress))
    except Exception as error:
        end_if_exhausted(error)  # else the next task would fail as well
        raise
    return recipe.key


def _resources(recipe: Recipe, gpus: int) -> dict[str, int] | None:
    if not gpus or not recipe.needs_gpu:
        return None
    return {"GPU": gpus if recipe.takes_whole_worker else 1}
