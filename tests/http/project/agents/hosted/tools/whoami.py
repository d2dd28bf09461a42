from litro import ToolContext, tool


@tool
def whoami(ctx: ToolContext):
    """Tell who asks, and from where."""
    return {"principal": ctx.principal, "path": ctx.request.url.path}
