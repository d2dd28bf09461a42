"""The Chromium that tests drive."""

import os
import shutil

INSTALL = "apt-get install -y chromium (or name one: CHROMIUM=/path/to/chromium)"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_chromium() -> str | None:
    """The Chromium that CHROMIUM names, else the first on PATH."""
    candidates = [os.environ.get("CHROMIUM", ""), *_NAMES]
    return next(filter(None, (shutil.which(name) for name in candidates if name)), None)
