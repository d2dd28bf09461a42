"""Where sessions live: the port, and its adapters, one a module."""
