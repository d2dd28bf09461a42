from litro import tool


@tool
async def echo(text: str):
    """Say it back."""
    return text
