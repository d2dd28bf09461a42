from typing import Annotated

from pydantic import Field

from litro import tool


@tool
def case_x_mcp_header(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})] = "here",
    query: str = "",
):
    """Take an argument that hosts repeat in a header, for whoever routes requests."""
    return {"region": region, "query": query}
