"""Language models: the port, and its adapters, one a module."""
