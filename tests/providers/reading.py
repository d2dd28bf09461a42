"""Reads a stream without a network: parser and assembler, as the transport drives them."""

from dataclasses import dataclass, field

from litro.errors import ProviderError
from litro.providers.base import ModelEvent
from litro.providers.sse import SseParser
from litro.providers.transport import Assembler


@dataclass
class Heard:
    events: list[ModelEvent] = field(default_factory=list)
    error: ProviderError | None = None

    def all(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]


def read(answer: Assembler, *chunks: bytes) -> Heard:
    parser, heard = SseParser(), Heard()
    try:
        for chunk in chunks:
            for sse in parser.feed(chunk):
                heard.events.extend(answer.feed(sse))
        if not answer.done:
            for sse in parser.close():
                heard.events.extend(answer.feed(sse))
        heard.events += answer.end()
    except ProviderError as error:
        heard.error = error
    return heard
