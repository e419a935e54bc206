"""The smoke study on Dask clusters of separate processes: the same scores on any number of workers, and the time for each.

    python tests/bench/bench_cluster.py [--workers 1 2 4] [--namespaces 2] [--folder F]

Each study starts from an empty store, with a `dask scheduler` and `dask worker` processes that talk over loopback TCP. In the
studies of ``--namespaces`` the scheduler (with `run_all.py`) and each worker have a network namespace of their own, joined by a
bridge: several machines with a common file system, as far as their network is concerned. That needs root and `ip` (iproute2).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from measuring import describe_machine

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "faults"))

from dask_processes import DaskProcesses, run_all_command  # noqa: E402
from outcome import compare, look_over  # noqa: E402

NETWORK = "198.18.77"  # of the range that is reserved for benchmarks of networks (RFC 2544)


class Place(NamedTuple):
    """Where a cluster runs: the scheduler's address, and the words before the commands that start its processes."""

    host: str
    scheduler: list[str]
    workers: list[list[str]]


class Measured(NamedTuple):
    """Seconds until all artefacts were built, and until the notebooks were executed."""

    built: float
    done: float
    artefacts: str


def on_loopback(workers: int) -> Place:
    """All processes on 127.0.0.1."""
    return Place("127.0.0.1", [], [[] for _ in range(workers)])


def why_no_namespaces() -> str | None:
    """The reason that network namespaces cannot be made here, if there is one."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "network namespaces need the command `ip` (package iproute2)"
    name = f"pseudogec-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return f"network namespaces cannot be made here: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "delete", name], check=True)
    return None


@contextlib.contextmanager
def namespaces(workers: int) -> Iterator[Place]:
    """A namespace for the scheduler, one for each worker, and a bridge in the first that joins them."""
    hub, *others = names = [f"pseudogec-{os.getpid()}-{number}" for number in range(workers + 1)]

    def ip(arguments: str, inside: str | None = None) -> None:
        subprocess.run(["ip", *(["-n", inside] if inside else []), *arguments.split()], check=True)

    try:
        for name in names:
            ip(f"netns add {name}")
            ip("link set lo up", name)
        ip("link add bridge type bridge", hub)
        ip(f"address add {NETWORK}.1/24 dev bridge", hub)
        ip("link set bridge up", hub)
        for number, name in enumerate(others, start=2):
            ip(f"link add to{number} type veth peer name eth0 netns {name}", hub)
            ip(f"link set to{number} master bridge up", hub)
            ip(f"address add {NETWORK}.{number}/24 dev eth0", name)
            ip("link set eth0 up", name)
        inside = [["ip", "netns", "exec", name] for name in names]
        yield Place(f"{NETWORK}.1", inside[0], inside[1:])
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def build_study(folder: Path, place: Place, arguments: Sequence[str]) -> Measured:
    """Build the study in a fresh store, and take the time."""
    folder.mkdir(parents=True)
    with DaskProcesses(folder / "dask.log", len(place.workers), place.host, place.scheduler, place.workers) as cluster:
        command = [*place.scheduler, *run_all_command(ROOT, folder, "--scheduler", cluster.address, *arguments)]
        started, built, artefacts = time.monotonic(), 0.0, ""
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            assert process.stdout is not None
            said = []
            for line in process.stdout:
                said.append(line)
                if line.startswith("built"):
                    built, artefacts = time.monotonic() - started, line.split()[1]
        if process.returncode != 0:
            raise SystemExit("".join(said))
    return Measured(built, time.monotonic() - started, artefacts)


def main() -> int:
    """Run the benchmark; returns 1 when the scores are not the same."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4], help="numbers of workers (default: 1 2 4)")
    parser.add_argument("--namespaces", type=int, nargs="+", default=[], help="the same in network namespaces (default: none)")
    parser.add_argument("--folder", type=Path, help="keep stores and outputs there (default: a temporary folder)")
    parser.add_argument("--only", action="append", default=[], help="only these notebooks, as run_all.py's")
    options = parser.parse_args()
    studies = [("loopback", workers) for workers in options.workers]
    if options.namespaces and (reason := why_no_namespaces()) is not None:
        print(f"namespaces are skipped: {reason}")
    else:
        studies += [("namespaces", workers) for workers in options.namespaces]
    arguments = [word for name in options.only for word in ("--only", name)]
    complaints, first = [], None
    with contextlib.ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        print(describe_machine())
        print(f"{'network':12}{'workers':>8}{'artefacts':>11}{'built':>10}{'notebooks too':>15}   scores")
        for network, workers in studies:
            mine = folder / f"{network}-{workers}"
            with namespaces(workers) if network == "namespaces" else contextlib.nullcontext(on_loopback(workers)) as place:
                measured = build_study(mine, place, arguments)
            found = [*look_over(mine / "store"), *(compare(mine, first) if first else [])]
            verdict = ("NOT the same" if found else "the same") if first else "the others are held against these"
            first = first or mine
            complaints += found
            times = f"{measured.built:8.1f} s{measured.done:13.1f} s"
            print(f"{network:12}{workers:8}{measured.artefacts:>11}{times}   {verdict}", flush=True)
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
