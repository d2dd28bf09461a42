"""Tells what is wrong with a project: in development to the terminal and to open pages, in production to the log.

Agents, components and MCP apps are told when each is made, and a page shows all. It finds nothing: whoever loads them does.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from litro.dev.page import Page
from litro.dev.trouble import Trouble, of_problem, tell_all
from litro.errors import Problem

logger: Final = logging.getLogger(__name__)


class Telling:
    """What is wrong with one project.

    Args:
        project: Its folder.
        page: What open pages are told; None in production.
        traced: Whether tracebacks are told: a command that ends by itself says what is wrong in a line, whoever edits on
            wants the way there.

    Attributes:
        of_components: What is wrong with the components, as it was told last.
    """

    def __init__(self, project: Path, page: Page | None, *, traced: bool) -> None:
        self._project = project
        self._page = page
        self._traced = traced
        self._agents: tuple[Trouble, ...] = ()
        self._components: tuple[Trouble, ...] = ()
        self._apps: tuple[Trouble, ...] = ()
        self._of_apps: list[Problem] = []
        self.of_components: tuple[Problem, ...] = ()

    def agents(self, problems: Sequence[Problem]) -> None:
        """Tell everything that is wrong with the agents."""
        self._agents = self._told(problems)
        self._show()

    def components(self, problems: tuple[Problem, ...]) -> None:
        """Tell everything that is wrong with the components."""
        self.of_components = problems
        before, self._components = self._components, self._told(problems)
        if self._components != before:
            self._show()

    def apps(self, problems: Sequence[Problem]) -> None:
        """Tell everything that is wrong with the MCP apps. What is wrong with a component of theirs is told with components."""
        own = [problem for problem in problems if problem not in self.of_components]
        if own == self._of_apps:
            return
        self._of_apps = own
        before, self._apps = self._apps, self._told(own)
        if self._apps != before:
            self._show()

    def _told(self, problems: Sequence[Problem]) -> tuple[Trouble, ...]:
        if self._page is None:
            for problem in problems:
                logger.error("%s", problem)
            return ()
        troubles = tuple(of_problem(one, self._project, traced=self._traced) for one in problems)
        tell_all(troubles)
        return troubles

    def _show(self) -> None:
        if self._page is not None:
            self._page.show((*self._agents, *self._components, *self._apps))
