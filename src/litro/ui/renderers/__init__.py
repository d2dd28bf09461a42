"""One renderer a module: each turns the templates that it knows into HTML."""
