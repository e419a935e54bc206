"""The part of a profile that says on which machines it is built; it changes no artefact, and so no recipe's key."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, model_validator

from artefacts.section import Section


class Adaptation(Section):
    """How many jobs (or workers, where the deployment knows no jobs) are kept, by what there is to do."""

    minimum: int = Field(0, ge=0)
    maximum: int = Field(gt=0)

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.minimum > self.maximum:
            raise ValueError(f"minimum {self.minimum} is more than maximum {self.maximum}")
        return self


class ClusterSection(Section):
    """A Dask deployment that is started for a build: Slurm, PBS, LSF, Kubernetes, or any other that has a class.

    Without this section, workers are started on the machine itself; ``--scheduler ADDRESS`` overrules both.
    """

    class_name: str = Field(alias="class", description="the deployment's class, such as `dask_jobqueue.SLURMCluster`")
    options: dict[str, Any] = Field(default_factory=dict, description="what the class is called with")
    jobs: int | None = Field(None, gt=0, description="how many jobs (or workers) are kept running; lost ones are replaced")
    adapt: Adaptation | None = Field(None, description="in place of `jobs`: as many as there is work for")
    gpus_per_worker: int = Field(
        0, ge=0, description="GPUs of a worker: training takes all of them, decoding one; 0 for workers without"
    )
    launcher: tuple[str, ...] = Field(
        (), description="the command that starts a training of several processes; torchrun on the worker's machine by default"
    )

    @model_validator(mode="after")
    def _has_one_size(self) -> Self:
        if (self.jobs is None) == (self.adapt is None):
            raise ValueError("give either `jobs: N` or `adapt: {minimum: N, maximum: N}`")
        return self

    @property
    def largest(self) -> int:
        """The number of jobs that there may be at most."""
        if self.adapt is not None:
            return self.adapt.maximum
        assert self.jobs is not None  # one of both is given
        return self.jobs
