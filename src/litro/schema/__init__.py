"""A tool's schemas: what the model is told of a function, and what checks the input that comes back.

It is not encoding, which turns results into JSON, and it knows neither tools nor contexts: `litro.definitions`
hands it a function and the types to look for.
"""

from litro.schema.tool import ToolSchema

__all__ = ["ToolSchema"]
