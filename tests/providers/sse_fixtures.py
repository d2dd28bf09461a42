"""Streams of both wire formats as real servers send them, and what each means.

The names are those of the bug reports' study. Every stream is synthetic.
"""

import json
from dataclasses import dataclass
from typing import Any

WEATHER = "get-weather"
ROME = '{"city": "Rome"}'
OSLO = '{"city": "Oslo"}'
IN_ROME = (WEATHER, {"city": "Rome"})
IN_OSLO = (WEATHER, {"city": "Oslo"})


@dataclass(frozen=True, kw_only=True)
class Stream:
    """The bytes of a stream and what it says."""

    body: bytes
    text: str = ""
    reasoning: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    error: str | None = None
    """The type of the ProviderError that it ends with."""
    stop: str = "end"
    tokens: int | None = None
    replay: Any = None


def data(value: Any) -> bytes:
    """An event without a name."""
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def chunk(delta: Any, finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return data({"id": "x", "object": "chat.completion.chunk", "choices": [choice], **more})


def said(text: str, finish: str | None = None) -> bytes:
    return chunk({"content": text}, finish)


def escaped(text: str) -> bytes:
    """A piece of text whose JSON escapes are already there."""
    return f'data: {{"choices":[{{"delta":{{"content":"{text}"}}}}]}}\n\n'.encode()


def piece(
    index: int | None = None,
    id_: str | None = None,
    name: str | None = None,
    arguments: Any = None,
    **more: Any,
) -> dict[str, Any]:
    """One entry of `tool_calls`, without the keys that are None."""
    function = {"name": name, "arguments": arguments}
    entry = {
        "index": index,
        "id": id_,
        "type": "function",
        "function": {key: value for key, value in function.items() if value is not None},
        **more,
    }
    return {key: value for key, value in entry.items() if value is not None}


def called(*entries: dict[str, Any]) -> bytes:
    return chunk({"tool_calls": list(entries)})


DONE = b"data: [DONE]\n\n"
STOP = chunk({}, "stop") + DONE
CALLS = chunk({}, "tool_calls") + DONE


def llama_cpp_python() -> bytes:
    """Id and name on every delta, all of it mirrored into the format's older form."""
    deltas = [
        {
            "role": None,
            "content": None,
            "function_call": {"name": WEATHER, "arguments": arguments},
            "tool_calls": [piece(0, "k1", WEATHER, arguments)],
        }
        for arguments in ('{"city":', ' "Rome"', "}")
    ]
    last = {"role": None, "content": None, "function_call": None, "tool_calls": None}
    return b"".join(map(chunk, deltas)) + chunk(last, "tool_calls") + DONE


NULLS = {"index": 0, "id": None, "function": {"name": None, "arguments": ' "Rome"}'}}
BLANKS = {"index": 0, "id": "", "function": {"name": "", "arguments": ' "Rome"}'}}
SIGNED = {"google": {"thought_signature": "SIG"}}

CHAT: dict[str, Stream] = {
    "C01 two calls on one index": Stream(
        body=called(piece(0, "k1", WEATHER, ROME)) + called(piece(0, "k2", WEATHER, OSLO)) + CALLS,
        calls=(IN_ROME, IN_OSLO),
        stop="tools",
    ),
    "C01 two calls on one index, without ids": Stream(
        body=called(piece(0, None, WEATHER, ROME), piece(0, None, WEATHER, OSLO)) + CALLS,
        calls=(IN_ROME, IN_OSLO),
        stop="tools",
    ),
    "C01 two calls on one index, interleaved by id": Stream(
        body=called(piece(0, "k1", WEATHER, '{"city":'), piece(0, "k2", WEATHER, '{"city":'))
        + called(piece(0, "k1", None, ' "Rome"}'), piece(0, "k2", None, ' "Oslo"}'))
        + CALLS,
        calls=(IN_ROME, IN_OSLO),
        stop="tools",
    ),
    "C03 id on the first delta only": Stream(
        body=called(piece(0, "k1", WEATHER, ""))
        + called(piece(0, arguments='{"city":'))
        + called(piece(0, arguments=' "Rome"}'))
        + CALLS,
        calls=(IN_ROME,),
        stop="tools",
    ),
    "C04 nulls in a continuation": Stream(
        body=called(piece(0, "k1", WEATHER, '{"city":')) + called(NULLS) + CALLS,
        calls=(IN_ROME,),
        stop="tools",
    ),
    "C04 empty strings in a continuation": Stream(
        body=called(piece(0, "k1", WEATHER, '{"city":')) + called(BLANKS) + CALLS,
        calls=(IN_ROME,),
        stop="tools",
    ),
    "C04 no id at all": Stream(
        body=called(piece(0, None, WEATHER, ROME)) + CALLS, calls=(IN_ROME,), stop="tools"
    ),
    "C05 everything repeated and mirrored": Stream(
        body=llama_cpp_python(), calls=(IN_ROME,), stop="tools"
    ),
    "C05 the older form alone": Stream(
        body=chunk({"function_call": {"name": WEATHER, "arguments": '{"city":'}})
        + chunk({"function_call": {"arguments": ' "Rome"}'}})
        + chunk({}, "function_call")
        + DONE,
        calls=(IN_ROME,),
        stop="tools",
    ),
    "C05 a name in pieces": Stream(
        body=called(piece(0, "k1", "get-", "")) + called(piece(0, None, "weather", ROME)) + CALLS,
        calls=(IN_ROME,),
        stop="tools",
    ),
    "C06 calls interleaved by index": Stream(
        body=called(piece(0, "a", WEATHER, '{"city":'))
        + called(piece(1, "b", WEATHER, '{"city":'))
        + called(piece(0, arguments=' "Rome"}'))
        + called(piece(1, arguments=' "Oslo"}'))
        + CALLS,
        calls=(IN_ROME, IN_OSLO),
        stop="tools",
    ),
    "C08 no index, finish stop, keys that are wanted back": Stream(
        body=called(piece(None, "k1", WEATHER, ROME, extra_content=SIGNED)) + STOP,
        calls=(IN_ROME,),
        stop="tools",
        replay={"model": "m", "calls": [{"extra_content": SIGNED}]},
    ),
    "C08 keys that are wanted back, later": Stream(
        body=called(piece(None, "k1", WEATHER, ROME), piece(None, "k2", WEATHER, OSLO))
        + called({"id": "k1", "extra_content": SIGNED})
        + STOP,
        calls=(IN_ROME, IN_OSLO),
        stop="tools",
        replay={"model": "m", "calls": [{"extra_content": SIGNED}, {}]},
    ),
    "C09 empty arguments": Stream(
        body=called(piece(0, "k1", "list-rooms", "")) + CALLS,
        calls=(("list-rooms", {}),),
        stop="tools",
    ),
    "C09 no arguments": Stream(
        body=called(piece(0, "k1", "list-rooms")) + CALLS,
        calls=(("list-rooms", {}),),
        stop="tools",
    ),
    "C09 arguments as an object": Stream(
        body=called(piece(0, "k1", WEATHER, {"city": "Rome"})) + CALLS,
        calls=(IN_ROME,),
        stop="tools",
    ),
    "C11 chunks without usable choices": Stream(
        body=data({"choices": [], "prompt_filter_results": []})
        + data({"choices": None})
        + data({"choices": [{"index": 0}]})
        + said("hi", "stop")
        + data({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}})
        + DONE,
        text="hi",
        tokens=7,
    ),
    "C12 an error in the stream": Stream(
        body=said("par") + data({"error": {"message": "quota", "type": "rate_limit"}}) + DONE,
        text="par",
        error="rate-limited",
    ),
    "C12 an error that is text": Stream(
        body=said("par") + data({"error": "text"}) + DONE, text="par", error="provider"
    ),
    "C12 an error beside empty choices": Stream(
        body=data({"choices": [], "error": {"message": "m", "code": 503}}) + DONE,
        error="overloaded",
    ),
    "C12 an error as the finish reason": Stream(
        body=said("par", "error") + DONE, text="par", error="provider"
    ),
    "C12 an event named error": Stream(
        body=said("par") + b"event: error\ndata: it broke\n\n", text="par", error="provider"
    ),
    "C13 comments and keep-alives": Stream(
        body=b": PROCESSING\n\nid: 7\n"
        + said("a")
        + b": ping\n\nevent: keepalive\n\ndata:\n\nevent: ping\ndata: pong\n\n"
        + said("b")
        + STOP,
        text="ab",
    ),
    "C15 line separators inside a string": Stream(
        body=said("a\u2028b\u2029c\u0085d\u000be") + STOP, text="a\u2028b\u2029c\u0085d\u000be"
    ),
    "C16 characters of many bytes": Stream(body=said("☀️日本") + STOP, text="☀️日本"),
    "C16 a character in two escapes": Stream(
        body=escaped(r"a\ud83d") + escaped(r"\ude00b") + STOP, text="a😀b"
    ),
    "C16 half a character, and no more": Stream(body=escaped(r"a\ud83d") + STOP, text="a\ufffd"),
    "C17 CRLF": Stream(
        body=(said("a") + said("b") + STOP).replace(b"\n", b"\r\n"),
        text="ab",
    ),
    "C17 CR": Stream(body=(said("a") + said("b") + STOP).replace(b"\n", b"\r"), text="ab"),
    "C17 a byte order mark, and no spaces": Stream(
        body=b"\xef\xbb\xbf" + said("a") + STOP.replace(b"data: ", b"data:"), text="a"
    ),
    "C17 no blank line at the end": Stream(body=said("a", "stop").rstrip(b"\n"), text="a"),
    "C20 silence after text": Stream(
        body=said("half an ans"), text="half an ans", error="stream-incomplete"
    ),
    "C20 silence inside a frame": Stream(
        body=said("half") + said(" an")[:-9], text="half", error="stream-incomplete"
    ),
    "C20 silence inside arguments": Stream(
        body=called(piece(0, "k1", WEATHER, '{"city": "Ro')), error="stream-incomplete"
    ),
    "C20 the end inside arguments": Stream(
        body=called(piece(0, "k1", WEATHER, '{"city": "Ro')) + DONE, error="stream-incomplete"
    ),
    "C20 no finish reason": Stream(body=said("ok") + DONE, text="ok"),
    "C20 no [DONE]": Stream(body=said("ok", "stop"), text="ok"),
    "C20 silence after the finish reason": Stream(
        body=said("ok", "stop") + b'data: {"choices":[],"usa', text="ok"
    ),
    "C21 the limit inside arguments": Stream(
        body=called(piece(0, "k1", WEATHER, '{"city": "Ro')) + chunk({}, "length") + DONE,
        error="truncated",
    ),
    "C21 the limit before arguments": Stream(
        body=called(piece(0, "k1", WEATHER, "")) + chunk({}, "length") + DONE, error="truncated"
    ),
    "C21 the limit after arguments": Stream(
        body=called(piece(0, "k1", WEATHER, ROME)) + chunk({}, "length") + DONE,
        calls=(IN_ROME,),
        stop="tools",
    ),
    "C21 the limit inside text": Stream(
        body=said("half", "length") + DONE, text="half", stop="length"
    ),
    "C22 reasoning": Stream(
        body=chunk({"reasoning": "hm"}) + said("x") + STOP, reasoning="hm", text="x"
    ),
    "C22 reasoning under another name": Stream(
        body=chunk({"reasoning_content": "hm", "content": None})
        + chunk({"reasoning_content": None, "content": "x"})
        + STOP,
        reasoning="hm",
        text="x",
    ),
    "C22 reasoning under both names": Stream(
        body=chunk({"reasoning_content": "hm", "reasoning": "hm"}) + said("x") + STOP,
        reasoning="hm",
        text="x",
    ),
    "C23 reasoning before a call": Stream(
        body=chunk({"reasoning_content": "h"})
        + chunk({"reasoning_content": "m"})
        + called(piece(0, "k1", WEATHER, ROME))
        + CALLS,
        reasoning="hm",
        calls=(IN_ROME,),
        stop="tools",
        replay={"model": "m", "reasoning": {"reasoning_content": "hm"}},
    ),
    "C28 arguments that are not JSON": Stream(
        body=called(piece(0, "k1", WEATHER, '{"city":')) + CALLS,
        calls=((WEATHER, '{"city":'),),
        stop="tools",
    ),
    "a refusal": Stream(
        body=chunk({"refusal": "I can't."}) + STOP, text="I can't.", stop="refusal"
    ),
    "a filter that strikes": Stream(
        body=called(piece(0, "k1", WEATHER, ROME)) + chunk({}, "content_filter") + DONE,
        stop="refusal",
    ),
    "a second choice": Stream(
        body=data({"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": "stop"}]})
        + said("yes")
        + STOP,
        text="yes",
    ),
}


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\n".encode() + data({"type": kind, **fields})


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> bytes:
    return (
        event("content_block_start", index=index, content_block=start)
        + b"".join(event("content_block_delta", index=index, delta=delta) for delta in deltas)
        + event("content_block_stop", index=index)
    )


def text_block(index: int, *pieces: str) -> bytes:
    deltas = [{"type": "text_delta", "text": text} for text in pieces]
    return block(index, {"type": "text", "text": ""}, *deltas)


def tool_block(index: int, name: str, *pieces: str) -> bytes:
    deltas = [{"type": "input_json_delta", "partial_json": text} for text in pieces]
    return block(index, {"type": "tool_use", "id": "t", "name": name, "input": {}}, *deltas)


def ended(reason: str) -> bytes:
    return event(
        "message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 5}
    ) + event("message_stop")


BEGUN = event(
    "message_start",
    message={"role": "assistant", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}},
)
THINKING = {"type": "thinking", "thinking": "", "signature": ""}
REDACTED = {"type": "redacted_thinking", "data": "ENC"}
SIGNATURE = {"type": "signature_delta", "signature": "SIG=="}
CACHED = {"input_tokens": 2, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 4}


def thinks(text: str) -> dict[str, Any]:
    return {"type": "thinking_delta", "thinking": text}


MESSAGES: dict[str, Stream] = {
    "C29 an error in the stream": Stream(
        body=BEGUN
        + text_block(0, "par")
        + event("error", error={"type": "overloaded_error", "message": "Overloaded"}),
        text="par",
        error="overloaded",
    ),
    "C30 pings, unknown events, unknown blocks": Stream(
        body=BEGUN
        + event("ping")
        + event("future_event", x=1)
        + block(0, {"type": "mystery", "z": 1}, {"type": "mystery_delta", "q": 1})
        + text_block(1, "ok")
        + ended("end_turn"),
        text="ok",
        tokens=6,
        replay={
            "model": "m",
            "content": [{"type": "mystery", "z": 1}, {"type": "text", "text": "ok"}],
        },
    ),
    "C31 an empty input": Stream(
        body=BEGUN + tool_block(0, "list-rooms", "") + ended("tool_use"),
        calls=(("list-rooms", {}),),
        stop="tools",
        tokens=6,
    ),
    "C31 no input": Stream(
        body=BEGUN + tool_block(0, "list-rooms") + ended("tool_use"),
        calls=(("list-rooms", {}),),
        stop="tools",
        tokens=6,
    ),
    "C32 a start without input": Stream(
        body=BEGUN
        + block(
            0,
            {"type": "tool_use", "id": "t", "name": WEATHER},
            {"type": "input_json_delta", "partial_json": '{"city":'},
            {"type": "input_json_delta", "partial_json": ' "Rome"}'},
        )
        + ended("tool_use"),
        calls=(IN_ROME,),
        stop="tools",
        tokens=6,
    ),
    "C32 an input in one piece": Stream(
        body=BEGUN
        + block(0, {"type": "tool_use", "id": "t", "name": WEATHER, "input": {"city": "Rome"}})
        + ended("tool_use"),
        calls=(IN_ROME,),
        stop="tools",
        tokens=6,
    ),
    "C33 thinking with its signature": Stream(
        body=BEGUN
        + block(0, THINKING, thinks("h"), thinks("m"), SIGNATURE)
        + block(1, REDACTED)
        + text_block(2, "So: ")
        + tool_block(3, WEATHER, ROME)
        + ended("tool_use"),
        reasoning="hm",
        text="So: ",
        calls=(IN_ROME,),
        stop="tools",
        tokens=6,
        replay={
            "model": "m",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "SIG=="},
                REDACTED,
                {"type": "text", "text": "So: "},
                {"call": True},
            ],
        },
    ),
    "C33 a signature without thinking": Stream(
        body=BEGUN + block(0, THINKING, SIGNATURE) + text_block(1, "ok") + ended("end_turn"),
        text="ok",
        tokens=6,
        replay={
            "model": "m",
            "content": [
                {"type": "thinking", "thinking": "", "signature": "SIG=="},
                {"type": "text", "text": "ok"},
            ],
        },
    ),
    "C33 thinking without a signature": Stream(
        body=BEGUN + block(0, THINKING, thinks("hm")) + text_block(1, "ok") + ended("end_turn"),
        reasoning="hm",
        text="ok",
        tokens=6,
    ),
    "C37 nothing but a call": Stream(
        body=BEGUN + text_block(0) + tool_block(1, WEATHER, ROME) + ended("tool_use"),
        calls=(IN_ROME,),
        stop="tools",
        tokens=6,
    ),
    "two calls": Stream(
        body=BEGUN
        + tool_block(0, WEATHER, ROME)
        + tool_block(1, WEATHER, OSLO)
        + ended("tool_use"),
        calls=(IN_ROME, IN_OSLO),
        stop="tools",
        tokens=6,
    ),
    "no message_stop": Stream(body=BEGUN + tool_block(0, WEATHER, ROME), error="stream-incomplete"),
    "the limit inside an input": Stream(
        body=BEGUN + tool_block(0, WEATHER, '{"city": "Ro') + ended("max_tokens"),
        error="truncated",
    ),
    "the limit before an input": Stream(
        body=BEGUN + tool_block(0, WEATHER) + ended("max_tokens"), error="truncated"
    ),
    "the limit inside text": Stream(
        body=BEGUN + text_block(0, "half") + ended("max_tokens"),
        text="half",
        stop="length",
        tokens=6,
    ),
    "an input that is not JSON": Stream(
        body=BEGUN + tool_block(0, WEATHER, '{"city":') + ended("tool_use"),
        calls=((WEATHER, '{"city":'),),
        stop="tools",
        tokens=6,
    ),
    "a refusal": Stream(
        body=BEGUN + text_block(0, "No") + tool_block(1, WEATHER, ROME) + ended("refusal"),
        text="No",
        stop="refusal",
        tokens=6,
    ),
    "tokens from the cache": Stream(
        body=event("message_start", message={"usage": CACHED})
        + text_block(0, "ok")
        + ended("end_turn"),
        text="ok",
        tokens=41,
    ),
    "no blank line at the end": Stream(
        body=(BEGUN + text_block(0, "ok") + ended("end_turn")).rstrip(b"\n"), text="ok", tokens=6
    ),
}
