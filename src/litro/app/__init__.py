"""The app: a project's folder as an ASGI application, and what wires its parts together."""

from litro.app.asgi import Litro, create_app
from litro.app.running import Running

__all__ = ["Litro", "Running", "create_app"]
