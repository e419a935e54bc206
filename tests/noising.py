"""Noisers for tests, by a method's name and what differs from its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pseudogec.noise import Noiser, NoiseResources, TextMethod, make_method


def make_noiser(name: str, parameters: Mapping[str, Any], resources: NoiseResources) -> Noiser:
    method = make_method(name, parameters)
    assert isinstance(method, TextMethod)
    return Noiser(method, resources)
