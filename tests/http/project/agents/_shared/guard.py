"""A guard that does as the request's `x-as` header says."""

from starlette.exceptions import HTTPException
from starlette.requests import Request

from litro import AgentError
from litro.definitions import Principal


def principal_of(request: Request) -> Principal:
    kind, _, name = request.headers.get("x-as", "nobody").partition(":")
    match kind:
        case "nobody":
            return None
        case "name":
            return name
        case "mapping":
            return {"id": name, "role": "editor"}
        case "refused":
            raise HTTPException(401, "Sign in first.", headers={"WWW-Authenticate": "Bearer"})
        case "agent-error":
            raise AgentError("The trial has ended.", status=402)
        case "crash":
            raise RuntimeError("secret connection string")
        case "number":
            return 42  # type: ignore[return-value]
        case "no-id":
            return {"role": "secret role"}
        case _:
            return ""
