"""The HTTP surface: gates, routes, streams."""
