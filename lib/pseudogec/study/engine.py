"""One graph, one engine: what is missing becomes Dask tasks whose keys are the recipes' keys."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pseudogec.errors import UserError
from pseudogec.study.estimates import Estimator
from pseudogec.study.progress import Display, SilentDisplay
from pseudogec.study.recipe import Recipe
from pseudogec.study.store import Store

if TYPE_CHECKING:
    from distributed import Client

TOPIC = "pseudogec-progress"

# glibc gives freed memory back to the system at this size. Dask starts its workers with 64 KiB, and then training, which
# allocates and frees large tensors all the time, spends a third of its time in the kernel (measured: 20 s against 12 s for
# the same 60 updates).
MALLOC_THRESHOLD = str(2**30)


class BuildError(UserError):
    """Some artefacts could not be built; everything that does not depend on them was.

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
    if isinstance(error, KilledWorker):
        return f"{recipe.kind} {recipe.label}: its worker died several times, mostly for lack of memory; use fewer (--jobs)"
    log = store.root / ".work" / recipe.key / "log.txt"
    return f"{recipe.kind} {recipe.label}: {type(error).__name__}: {error} (traceback in {log})"


def missing(targets: Iterable[Recipe], store: Store) -> list[Recipe]:
    """The recipes to build for the targets, parents first; a recipe in the store hides everything above it."""
    found: dict[str, Recipe] = {}
    present: set[str] = set()

    def visit(recipe: Recipe) -> None:
        if recipe.key in found or recipe.key in present:
            return
        if store.has(recipe):
            present.add(recipe.key)
            return
        for parent in recipe.parents:
            visit(parent)
        found[recipe.key] = recipe

    for target in targets:
        visit(target)
    return list(found.values())


def with_ancestors(targets: Iterable[Recipe]) -> list[Recipe]:
    """The targets and all recipes that they are made from, each once, whether built or not."""
    found: dict[str, Recipe] = {}
    stack = list(targets)
    while stack:
        recipe = stack.pop()
        if recipe.key not in found:
            found[recipe.key] = recipe
            stack.extend(recipe.parents)
    return list(found.values())


class Engine:
    """Builds recipes on a Dask cluster, started when there is something to build and kept until ``close``.

    Args:
        store: where artefacts go; all workers must see it under the same path.
        scheduler: address of a running Dask scheduler; by default a local cluster of one process a core (or a GPU) is started.
        workers: processes of the local cluster.
        display: shows progress.
    """

    def __init__(
        self, store: Store, scheduler: str | None = None, workers: int | None = None, display: Display | None = None
    ) -> None:
        self.store = store
        self.workers = workers or _default_workers()
        self.display = display or SilentDisplay()
        self._scheduler = scheduler
        self._exit = contextlib.ExitStack()
        self._client: Client | None = None

    def build(self, targets: Sequence[Recipe]) -> int:
        """Build what the store lacks; returns how many artefacts were missing.

        Raises:
            BuildError: some artefacts failed. All others are in the store.
        """
        todo = missing(targets, self.store)
        if not todo:
            return 0
        client = self._connected()
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        on_gpu = any(worker.get("resources", {}).get("GPU") for worker in workers)
        from distributed import as_completed

        futures: dict[str, Any] = {}
        failed: dict[str, BaseException] = {}
        with self.display.building(todo, Estimator(self.store), len(workers)), self._listening(client, todo):
            try:
                for recipe in todo:
                    futures[recipe.key] = client.submit(
                        build_artefact,
                        recipe,
                        str(self.store.root),
                        *(futures[parent.key] for parent in recipe.parents if parent.key in futures),
                        key=f"{recipe.kind}-{recipe.key}",
                        resources={"GPU": 1} if on_gpu and recipe.needs_gpu else None,
                        pure=False,
                    )
                owners = {future.key: recipe for recipe, future in zip(todo, futures.values(), strict=True)}
                for future in as_completed(futures.values(), loop=client.loop):
                    recipe = owners[future.key]
                    if future.status == "finished":
                        self.display.finished(recipe)
                    else:
                        failed[recipe.key] = future.exception() or UserError(f"the task was {future.status}")
            finally:
                # The scheduler remembers what a task of this key gave as long as somebody holds its future; after a failure was
                # mended the same key must run anew.
                for future in futures.values():
                    future.release()
        # A task whose parent failed carries the parent's exception: name the artefacts that failed by themselves.
        causes = [recipe for recipe in todo if recipe.key in failed and not any(p.key in failed for p in recipe.parents)]
        if causes:
            raise BuildError([(recipe, failed[recipe.key]) for recipe in causes], self.store)
        return len(todo)

    @property
    def address(self) -> str | None:
        """Address of the scheduler in use, for other processes that are to share it."""
        return self._client.scheduler.address if self._client is not None else self._scheduler

    def close(self) -> None:
        """Stop the local cluster; a scheduler given by address is left running."""
        self._exit.close()
        self._client = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _connected(self) -> Client:
        if self._client is None:
            import dask
            from distributed import Client, LocalCluster

            threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
            malloc = dict.fromkeys(("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"), MALLOC_THRESHOLD)
            dask.config.set(
                {
                    "distributed.nanny.pre-spawn-environ": {**threads, **malloc},
                    "distributed.comm.timeouts.connect": "60s",
                }
            )
            address: Any = self._scheduler
            if address is None:
                address = self._exit.enter_context(
                    LocalCluster(
                        n_workers=self.workers,
                        threads_per_worker=1,
                        memory_limit=0,
                        dashboard_address=None,
                        silence_logs=logging.CRITICAL,  # a step's traceback is in the artefact's own log
                        resources={"GPU": 1} if _gpus() else None,
                    )
                )
            try:
                self._client = self._exit.enter_context(Client(address, set_as_default=False, timeout=20))
            except OSError as error:
                raise UserError(f"no Dask scheduler answers at {self._scheduler} ({error})") from None
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


def build_artefact(recipe: Recipe, root: str, *_parents: object) -> str:
    """The Dask task: build one artefact in the worker; its parents are done, which is all that their values say."""
    from distributed import get_worker

    from pseudogec.study.steps import build

    worker = get_worker()
    last = 0.0

    def progress(done: float, total: float, text: str = "") -> None:
        nonlocal last
        if time.monotonic() - last > 0.5:
            last = time.monotonic()
            worker.log_event(TOPIC, {"key": recipe.key, "done": done, "total": total, "text": text})

    progress(0, 1)
    store = Store(Path(root))
    store.build(recipe, lambda item, folder: build(item, folder, store, progress))
    return recipe.key


def _gpus() -> int:
    return len(list(Path("/dev").glob("nvidia[0-9]*")))


def _default_workers() -> int:
    return _gpus() or len(os.sched_getaffinity(0))
