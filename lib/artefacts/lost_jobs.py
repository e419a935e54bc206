"""Dask's scaling of a deployment, which counts a lost job as still there, taught to submit another in its place."""

from __future__ import annotations

from typing import Any

from distributed.deploy.adaptive import Adaptive


class ReplacingLostJobs(Adaptive):
    """Keeps the number of jobs that is wanted, also when some were preempted, reached their time limit, or crashed.

    A job counts as lost when its worker has been away for ``distributed.deploy.lost-worker-timeout`` (15 seconds).
    """

    async def recommendations(self, target: int) -> dict[str, Any]:
        """What to do to come to the target: as Dask says, and where it is content, replace what was lost."""
        recommended = await super().recommendations(target)
        if recommended["status"] == "same" and self.requested < self.plan:
            return {"status": "up", "n": len(self.plan)}
        return recommended
