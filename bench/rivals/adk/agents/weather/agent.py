"""The agent that `adk api_server` finds: a model of ADK's own kind that answers by script, and one tool."""

from collections.abc import AsyncGenerator

from conversation import ARGUMENTS, TOOL, pieces, weather
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.genai import types


def get_weather(city: str) -> dict[str, str | float]:
    """The weather in a city.

    Args:
        city: The city's name.
    """
    return weather(city)


def _said(part: types.Part, *, partial: bool) -> LlmResponse:
    usage = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=50, candidates_token_count=200, total_token_count=250
    )
    return LlmResponse(
        content=types.Content(role="model", parts=[part]),
        partial=partial,
        usage_metadata=None if partial else usage,
    )


class Scripted(BaseLlm):
    """Asks for the tool, then answers in pieces."""

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - as ADK has it
    ) -> AsyncGenerator[LlmResponse, None]:
        """One step: what is said last in the request tells which."""
        last = llm_request.contents[-1].parts or []
        if not any(part.function_response for part in last):
            yield _said(types.Part.from_function_call(name=TOOL, args=ARGUMENTS), partial=False)
            return
        texts = [
            part.text
            for content in llm_request.contents
            if content.role == "user"
            for part in content.parts or []
            if part.text
        ]
        answer = ""
        async for piece in pieces(texts[-1]):
            answer += piece
            if stream:
                yield _said(types.Part(text=piece), partial=True)
        yield _said(types.Part(text=answer), partial=False)


root_agent = LlmAgent(
    name="weather",
    model=Scripted(model="scripted"),
    instruction="Tell the weather.",
    tools=[get_weather],
)
