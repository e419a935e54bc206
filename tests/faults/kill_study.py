"""Kills parts of a running study at random moments, and looks whether anything was lost, built
twice or left half-built.

The `smoke` study is built by `run_all.py` on a Dask cluster of separate processes. Until the given
number of kills was made, a random one of a worker, a nanny, the scheduler and `run_all.py` itself
gets SIGKILL, as from a power cut or a batch system that takes its node back. A kill comes when a
random number of artefacts more are finished, and a random time later, so that kills spread over the
study on a fast machine and a slow one. What was killed is started again with the same command, as a
user would. In the end

- tables, scores and the results of all artefacts must be those of an undisturbed run,
- no artefact may have been built again after it was finished, at any time,
- every folder under an artefact's name must be whole, by its digests, and `.work` empty,
- after a scheduler's death `run_all.py` and all workers must have ended by themselves, and said so.

    python tests/faults/kill_study.py --kills 30 --seed 1 --folder FOLDER
    python tests/faults/kill_study.py --kills 5 --seed 2 --only 02 --folder FOLDER
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil
from dask_processes import DaskProcesses, Process, run_all_command
from outcome import compare, look_over

ROOT = Path(__file__).resolve().parents[2]

VICTIMS = {"worker": 4, "nanny": 2, "scheduler": 1, "run_all.py": 2}
"""Whom a kill can meet, and how often in proportion."""

SECONDS_TO_END = 90
"""How soon a program must have ended by itself when the scheduler is gone."""

SECONDS_TO_GO_ON = 300
"""How soon a further artefact or notebook must be finished."""


class Kill(NamedTuple):
    """What was killed, when, and what came of it."""

    number: int
    round: int
    moment: float
    victim: str
    finished: int
    note: str

    def __str__(self) -> str:
        return (
            f"{self.number:4}{self.round:6}{self.moment:9.1f} s   "
            f"{self.victim:12}{self.finished:6}   {self.note}"
        )


class Watcher:
    """Notes each artefact as it is finished, and whether a finished one ever changes or goes."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.finished: dict[Path, tuple[int, int, str]] = {}
        self.complaints: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        while not self._stop.wait(0.1):
            self.look()

    def look(self) -> None:
        """Compare what is there now with what was there before."""
        now = {}
        for path in self.store.glob("[!.]*/*/result.json"):
            with contextlib.suppress(FileNotFoundError):
                status = path.stat()
                known = self.finished.get(path)
                if known is not None and known[:2] == (status.st_ino, status.st_mtime_ns):
                    now[path] = known
                else:
                    now[path] = (
                        status.st_ino,
                        status.st_mtime_ns,
                        hashlib.sha256(path.read_bytes()).hexdigest(),
                    )
        for path, state in self.finished.items():
            if now.get(path) != state:
                self.complaints.append(
                    f"{path.parent.name} was finished and then "
                    f"{'changed' if path in now else 'gone'}"
                )
        self.finished |= now

    def __enter__(self) -> Watcher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.look()


class Round:
    """One study from an empty store to its end, with what disturbs it."""

    def __init__(
        self, folder: Path, number: int, options: argparse.Namespace, rng: random.Random
    ) -> None:
        self.folder, self.number, self.options, self.rng = folder, number, options, rng
        self.complaints: list[str] = []
        folder.mkdir(parents=True)

    def play(self, kills: list[Kill], started: float) -> None:
        """Build the study to its end; adds the kills that were made."""
        with (
            DaskProcesses(self.folder / "dask.log", self.options.workers) as self.cluster,
            Watcher(self.folder / "store") as watcher,
            self._running(),
        ):
            while not self._ended_well():
                if len(kills) == self.options.kills:
                    self._wait_until(lambda: False, watcher)
                    continue
                self._wait_for_a_moment(watcher)
                if self.run.poll() is not None:
                    continue
                victim = self.rng.choices(list(VICTIMS), list(VICTIMS.values()))[0]
                moment = time.monotonic() - started
                note = self._kill(victim)
                if note is not None:
                    kills.append(
                        Kill(
                            len(kills) + 1, self.number, moment, victim, len(watcher.finished), note
                        )
                    )
                    print(kills[-1], flush=True)
        self.complaints += watcher.complaints

    def _ended_well(self) -> bool:
        status = self.run.poll()
        if status not in (None, 0):
            raise AssertionError(f"run_all.py ended with status {status}:\n{self._last_words()}")
        return status == 0

    def _wait_for_a_moment(self, watcher: Watcher) -> None:
        """Until some artefacts or notebooks more are finished, and a while, or until the run has
        ended.
        """
        enough = self._finished(watcher) + self.rng.randint(0, self.options.apart)
        self._wait_until(lambda: self._finished(watcher) >= enough, watcher)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.run.wait(self.rng.uniform(0, self.options.longest))

    def _finished(self, watcher: Watcher) -> int:
        return len(watcher.finished) + len(
            list((self.folder / "outputs" / "notebooks").glob("[!.]*.ipynb"))
        )

    def _wait_until(self, moment: Callable[[], bool], watcher: Watcher) -> None:
        """Until a moment or the end of the run; nannies that gave up are started again, as a user
        would.

        Raises:
            AssertionError: nothing was finished for long.
        """
        finished, since = self._finished(watcher), time.monotonic()
        while not moment() and self.run.poll() is None:
            self.cluster.restart_ended_workers()
            if (now := self._finished(watcher)) > finished:
                finished, since = now, time.monotonic()
            stands_still = time.monotonic() - since > SECONDS_TO_GO_ON
            assert not stands_still, (
                f"nothing was finished for {SECONDS_TO_GO_ON} s:\n{self._last_words()}"
            )
            time.sleep(0.1)

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        self._start()
        try:
            yield
        finally:
            for process in (
                [*psutil.Process(self.run.pid).children(recursive=True)]
                if self.run.poll() is None
                else []
            ):
                process.kill()
            self.run.kill()
            self.run.wait()

    def _start(self) -> None:
        command = run_all_command(
            ROOT, self.folder, "--scheduler", self.cluster.address, *self.options.arguments
        )
        with (self.folder / "run_all.log").open("ab") as log:
            log.write(b"$ run_all.py\n")
            log.flush()
            self.run: Process = subprocess.Popen(command, stdout=log, stderr=log)

    def _last_words(self) -> str:
        words = (
            (self.folder / "run_all.log").read_text(errors="replace").rpartition("$ run_all.py")[2]
        )
        return "\n".join(words.splitlines()[-15:])

    def _kill(self, victim: str) -> str | None:
        """Kill it, and start it again; returns what is to be told, or None when there was nobody to
        kill.
        """
        number = self.rng.randrange(self.options.workers)
        if victim == "run_all.py":
            self.run.send_signal(signal.SIGKILL)
            self.run.wait()
            self._start()
            return "started again"
        if victim == "scheduler":
            return self._kill_scheduler()
        workers = self.cluster.workers(number)
        if not workers:
            return None
        if victim == "worker":
            workers[0].send_signal(signal.SIGKILL)
            return f"number {number}; its nanny starts another"
        self.cluster.nannies[number].send_signal(signal.SIGKILL)
        took = self._time_to_end(workers, f"the worker of nanny {number}")
        self.cluster.restart_worker(number)
        return f"number {number}; its worker ended after {took:.1f} s"

    def _kill_scheduler(self) -> str:
        workers = [
            worker
            for number in range(self.options.workers)
            for worker in self.cluster.workers(number)
        ]
        self.cluster.scheduler.send_signal(signal.SIGKILL)
        told = self._time_to_end([self.run], "run_all.py")
        status = self.run.poll()
        ended = self._time_to_end([*self.cluster.nannies, *workers], "the workers")
        self.cluster.restart_scheduler()
        for number in range(self.options.workers):
            self.cluster.restart_worker(number)
        if status == 0:
            return "run_all.py needed it no more"
        words = self._last_words()
        # The one in the build, the other before it
        said = "went away" in words or "no Dask scheduler answers" in words
        if status != 2 or not said or "Traceback" in words:
            self.complaints.append(
                f"run_all.py ended with status {status} and these words:\n{words}"
            )
        self._start()
        return f"run_all.py said so after {told:.1f} s; workers ended {ended:.1f} s later"

    def _time_to_end(self, processes: Sequence[Process | psutil.Process], who: str) -> float:
        started = time.monotonic()
        for process in processes:
            try:
                process.wait(max(0.0, started + SECONDS_TO_END - time.monotonic()))
            except (subprocess.TimeoutExpired, psutil.TimeoutExpired):
                self.complaints.append(f"{who} did not end within {SECONDS_TO_END} s")
                process.kill()
                process.wait()
        return time.monotonic() - started


def undisturbed(folder: Path, arguments: Sequence[str]) -> None:
    """The study that nothing disturbs, made once a folder."""
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        finished = subprocess.run(
            run_all_command(ROOT, folder, *arguments), capture_output=True, text=True, check=False
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr
        (folder / "done").touch()


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1, help="of victims and moments")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--apart", type=int, default=24, help="artefacts finished between two kills at most"
    )
    parser.add_argument(
        "--longest", type=float, default=3.0, help="seconds from there to the kill at most"
    )
    parser.add_argument(
        "--folder", type=Path, required=True, help="an empty folder for stores, outputs and logs"
    )
    parser.add_argument(
        "--only", action="append", default=[], help="only these notebooks, as run_all.py's"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        help="change the profile, as run_all.py's",
    )
    options = parser.parse_args(arguments)
    pairs = [
        *(("--only", name) for name in options.only),
        *(("--set", override) for override in options.overrides),
    ]
    options.arguments = [word for pair in pairs for word in pair]
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns 0 when nothing was lost."""
    options = parse(arguments)
    reference = options.folder / "undisturbed"
    undisturbed(reference, options.arguments)
    rng, kills, complaints = random.Random(options.seed), list[Kill](), list[str]()
    started, number = time.monotonic(), 0
    print("kill round     moment   victim    finished   what came of it")
    # A study that ends before the last kill is followed by another
    while len(kills) < options.kills:
        number += 1
        current = Round(options.folder / f"round{number}", number, options, rng)
        current.play(kills, started)
        found = [
            *current.complaints,
            *compare(current.folder, reference),
            *look_over(current.folder / "store"),
        ]
        complaints += [f"round {number}: {complaint}" for complaint in found]
    counts = ", ".join(
        f"{victim} {count}" for victim, count in Counter(kill.victim for kill in kills).items()
    )
    print(
        f"{len(kills)} kills ({counts}) in {number} studies, {time.monotonic() - started:.0f} s; "
        f"{len(complaints)} complaints"
    )
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
