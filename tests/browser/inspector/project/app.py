"""Agents, and nothing besides: the inspector brings its own page."""

from pathlib import Path

from litro import create_app

app = create_app(Path(__file__).parent)
