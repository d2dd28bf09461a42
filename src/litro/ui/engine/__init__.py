"""The engine: Node processes that render components, fed over pipes and killed when they misbehave.

Why a process and not V8 inside ours: a hostile array size aborts whatever process it runs in. Why Node: it is where the
makers of `@lit-labs/ssr` support it. It knows frames and limits; what is asked in them is `litro.sidecar`'s business.
"""

from litro.ui.engine.node import Node, find_node
from litro.ui.engine.pool import Pool, run_once

__all__ = ["Node", "Pool", "find_node", "run_once"]
