"""A real browser for tests: Debian's chromium, driven by playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser."""
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if found is None:
        pytest.skip(
            "needs chromium, which is not installed; `make browser` installs it on Debian "
            "for a user who may"
        )
    return found


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What drives a browser."""
    with sync_playwright() as running:
        yield running


@contextmanager
def opened(
    playwright: Playwright, chromium: str, folder: Path, width: int
) -> Iterator[tuple[BrowserContext, Page]]:
    """Open a browser with an empty profile in ``folder`` and a window so many pixels wide; gives it
    and its first tab.
    """
    context = playwright.chromium.launch_persistent_context(
        folder, executable_path=chromium, args=FLAGS, viewport={"width": width, "height": 900}
    )
    try:
        yield context, context.pages[0]
    finally:
        context.close()
