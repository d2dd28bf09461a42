"""The inspector of a project in development: its agents, every session, what models were asked, tools called by hand.

`site` is its addresses, `files` its page; the rest is a module for each thing that the page asks. It exists in development only, for
whoever sits at this machine: guards are not asked, and sessions are anybody's. Everything of it is made of what turns leave: it has no
second way to run one.
"""

from litro.dev.inspector.site import Inspector

__all__ = ["Inspector"]
