"""MCP over HTTP: messages of both eras to a real `litro serve`, and clients that hang up."""

import json
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mcp_client import MODERN, ROUTE, TOKEN, call, message, modern, post, result, said
from serving import Client, Server, make_project, wait_for
from wiretap import Connection

ERAS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
LEAVERS = 200


@pytest.fixture(scope="module")
def host_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    project = make_project(tmp_path_factory.mktemp("mcp") / "app")
    server = Server(project, LITRO_MCP_TOKEN=TOKEN, LITRO_TOOL_THREADS="300")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def json_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    project = make_project(tmp_path_factory.mktemp("mcp") / "app")
    server = Server(project, LITRO_MCP_TOKEN=TOKEN, LITRO_MCP_JSON="1", LITRO_TOOL_THREADS="300")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def mounted_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Apps mounted in others, whose streams show every 0.2 s that they live."""
    project = make_project(tmp_path_factory.mktemp("mcp") / "app")
    server = Server(project, "many", LITRO_MCP_LOCAL="1")
    yield server
    server.stop()


@pytest.fixture
def mounted(mounted_process: Server) -> Iterator[Client]:
    client = Client(mounted_process)
    yield client
    client.close()


@pytest.fixture
def host(host_process: Server) -> Iterator[Client]:
    client = Client(host_process)
    yield client
    client.close()


@pytest.fixture(params=["sse", "json"])
def either(
    request: pytest.FixtureRequest, host_process: Server, json_process: Server
) -> Iterator[Client]:
    """A server that streams, then one that answers in single bodies."""
    client = Client(host_process if request.param == "sse" else json_process)
    yield client
    client.close()


def structured(answer: dict[str, Any]) -> Any:
    assert not answer.get("isError"), answer
    return answer["structuredContent"]


# --- both eras


@pytest.mark.parametrize("version", ERAS)
def test_a_host_of_any_handshake_version_is_served(either: Client, version: str):
    asked = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    answer = post(either, message("initialize", asked))
    assert "mcp-session-id" not in answer.headers
    initialized = result(answer)
    assert initialized["protocolVersion"] == version
    assert initialized["serverInfo"]["name"] == "litro-hosted"
    told = message("notifications/initialized")[:-1].replace(b'"id": 1, ', b"") + b"}"
    assert post(either, told, mcp_protocol_version=version).status == 202
    listed = result(post(either, message("tools/list"), mcp_protocol_version=version))
    assert "whoami" in {tool["name"] for tool in listed["tools"]}
    called = call(either, "count", {"to": 0}, mcp_protocol_version=version)
    assert not result(called).get("isError")


def test_a_host_of_the_modern_era_is_served_without_a_handshake(either: Client):
    discovered = result(modern(either, "server/discover", {}))
    assert MODERN in discovered["supportedVersions"]
    assert "whoami" in {tool["name"] for tool in result(modern(either, "tools/list", {}))["tools"]}
    called = result(modern(either, "tools/call", {"name": "whoami", "arguments": {}}))
    assert (called["resultType"], structured(called)["path"]) == ("complete", ROUTE)


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"mcp_protocol_version": "2099-01-01"}, -32020),
        ({"mcp_method": "tools/list"}, -32020),
        ({"mcp_name": "count"}, -32020),
        ({"Mcp-Name": "whoami"}, -32020),
    ],
)
def test_headers_that_say_something_else_than_the_body_are_400(
    host: Client, how: dict[str, str], code: int
):
    answer = modern(host, "tools/call", {"name": "whoami", "arguments": {}}, **how)
    assert answer.status == 400
    assert answer.json()["error"]["code"] == code


def test_an_unknown_version_is_told_which_there_are(host: Client):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    answer = modern(host, "tools/list", {"_meta": meta}, mcp_protocol_version="2099-01-01")
    assert answer.status == 400
    error = answer.json()["error"]
    assert (error["code"], error["data"]["supported"]) == (-32022, [MODERN])


def test_an_unknown_method_is_404_in_the_modern_era_and_200_before(host: Client):
    for answer, status in (
        (modern(host, "no/such", {}), 404),
        (post(host, message("no/such")), 200),
    ):
        assert (answer.status, answer.json()["error"]["code"]) == (status, -32601)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff", -32700),
        (b'{"jsonrpc": "2.0", "id": NaN}', -32700),
        (b"[" * 1500, -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b"{}", -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
    ],
)
@pytest.mark.parametrize("version", [None, "2025-11-25", MODERN])
def test_what_is_no_message_is_400_with_a_json_rpc_error(
    either: Client, body: bytes, code: int, version: str | None
):
    answer = post(either, body, mcp_protocol_version=version)
    told = answer.json()
    assert (answer.status, told["id"], told["error"]["code"]) == (400, None, code)


def test_ids_come_back_as_they_were(either: Client):
    for given in ("a", 0, -1, 2**70, "\u00fc"):
        (answer,) = said(post(either, message("ping", id=given)))
        assert answer == {"jsonrpc": "2.0", "id": given, "result": {}}


# --- calls


def test_a_tool_gets_the_request_and_who_it_is_from(either: Client):
    answer = result(call(either, "whoami", x_as="name:ada"))
    assert structured(answer) == {"principal": "ada", "path": ROUTE}


def test_an_unknown_tool_is_a_protocol_error(either: Client):
    (answer,) = said(call(either, "nothing"))
    assert answer["error"]["code"] == -32602
    assert "nothing" in answer["error"]["message"]


def test_progress_comes_before_the_result_in_a_stream(host: Client):
    answer = call(host, "count", {"to": 3})
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.headers["x-accel-buffering"] == "no"
    *told, last = said(answer)
    assert [each["params"]["progress"] for each in told] == [1, 2, 3]
    assert told[0]["params"]["message"] == "number 1"
    assert {each["params"]["progressToken"] for each in told} == {"p"}
    assert json.loads(last["result"]["content"][0]["text"]) == 3


def test_progress_arrives_while_the_tool_runs(host: Client, gate: str):
    body = {"name": "linger", "arguments": {"gate": gate}, "_meta": {"progressToken": 7}}
    answer = post(host, message("tools/call", body), path="/__litro/mcp/open")
    first = answer.until("notifications/progress")[-1]
    assert b"waiting" in first
    host.server.let(gate)
    assert b'"lingered"' in answer.until("result")[-1]


@pytest.mark.parametrize("accept", ["application/json", "application/json;q=1, text/plain"])
def test_a_client_that_takes_no_stream_gets_one_body(host: Client, accept: str):
    (answer,) = said(call(host, "count", {"to": 3}, accept=accept))
    assert json.loads(answer["result"]["content"][0]["text"]) == 3


def test_a_server_that_streams_nothing_answers_in_one_body(json_process: Server):
    client = Client(json_process)
    answer = call(client, "count", {"to": 3})
    assert answer.headers["content-type"] == "application/json"
    assert len(list(said(answer))) == 1
    client.close()


def test_a_client_that_takes_only_a_stream_gets_one(host: Client):
    answer = call(host, "whoami", accept="text/event-stream")
    assert answer.headers["content-type"] == "text/event-stream"
    assert structured(result(answer))["path"] == ROUTE


@pytest.mark.parametrize("mount", ["", "/fastapi/deep/er", "/base", "/gzip"])
def test_a_mounted_app_serves_mcp_below_its_mount(mounted: Client, mount: str):
    assert structured(result(call(mounted.at(mount), "whoami")))["path"] == mount + ROUTE


@pytest.mark.parametrize("mount", ["/base", "/gzip"])
def test_a_client_that_hangs_up_is_noticed_through_a_host_app_s_middleware(
    mounted: Client, gate: str, mount: str
):
    connection = begin(mounted, "linger", gate, mount + ROUTE)
    mounted.server.reached(gate)
    connection.close()
    wait_for((mounted.server.gates / f"{gate}.left").exists, "the tool still runs")


@pytest.mark.parametrize("mount", ["", "/base", "/gzip"])
def test_a_silent_call_begins_a_stream_that_shows_that_it_lives(
    mounted: Client, gate: str, mount: str
):
    body = {"name": "linger", "arguments": {"gate": gate}}
    answer = post(mounted.at(mount), message("tools/call", body), accept_encoding="gzip")
    assert answer.headers["content-type"] == "text/event-stream"
    answer.until(": heartbeat")
    answer.until(": heartbeat")
    mounted.server.let(gate)
    assert json.loads(result_text(answer.until("result")[-1])) == "lingered"


def result_text(line: bytes) -> str:
    return json.loads(line.removeprefix(b"data: "))["result"]["content"][0]["text"]


# --- hanging up


def begin(client: Client, tool: str, gate: str, path: str = ROUTE) -> Connection:
    """Ask for a call that waits, without reading the answer."""
    connection = client.connect()
    params = {"name": tool, "arguments": {"gate": gate}}
    body = message("tools/call", params)
    connection.send(
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n"
        "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n".encode()
        + body
    )
    return connection


def census(client: Client) -> dict[str, int]:
    answer = post(client, message("tools/call", {"name": "census"}), connection="close")
    return structured(result(answer))


def at_rest(client: Client) -> dict[str, int]:
    """What the server has when two looks in a row agree."""
    looks = [census(client)]

    def agree() -> bool:
        looks.append(census(client))
        return looks[-1] == looks[-2]

    wait_for(agree, f"never at rest: {looks[-3:]}")
    return looks[-1]


@pytest.mark.parametrize("how", ["close", "reset"])
def test_a_client_that_hangs_up_cancels_its_call(either: Client, gate: str, how: str):
    connection = begin(either, "linger", gate)
    either.server.reached(gate)
    getattr(connection, how)()
    wait_for((either.server.gates / f"{gate}.left").exists, "the tool still runs")
    assert structured(result(call(either, "whoami")))["path"] == ROUTE


def test_two_hundred_clients_that_hang_up_leave_nothing_behind(either: Client, gate: str):
    before = at_rest(either)
    gates = [f"{gate}-{number}" for number in range(LEAVERS)]
    connections = [begin(either, "linger", each) for each in gates]
    for each in gates:
        either.server.reached(each)
    for number, connection in enumerate(connections):
        connection.close() if number % 2 else connection.reset()
    for each in gates:
        wait_for((either.server.gates / f"{each}.left").exists, f"{each} still runs")
    wait_for(lambda: census(either) == before, f"{census(either)} after {before}")


def test_clients_that_hang_up_on_sync_tools_leave_their_threads_and_nothing_else(
    either: Client, gate: str
):
    before = at_rest(either)
    connections = [begin(either, "hold", gate) for _ in range(20)]
    either.server.reached(gate)
    for connection in connections:
        connection.reset()
    wait_for(lambda: census(either)["replies"] == before["replies"], "answers are still kept")
    either.server.let(gate)
    wait_for(lambda: census(either) == before, f"{census(either)} after {before}")


# --- several processes, and their end


def test_any_of_several_workers_answers(start: Callable[..., Client]):
    client = start(options=["--workers", "2", "--mcp"], LITRO_MCP_TOKEN=TOKEN)
    for _ in range(6):
        assert structured(result(call(client, "whoami")))["path"] == ROUTE
    assert client.server.output.count("MCP is served at") == 1


def test_a_server_that_ends_lets_calls_end_first(start: Callable[..., Client], gate: str):
    client = start(LITRO_MCP_TOKEN=TOKEN, LITRO_GRACE="10")
    connection = begin(client, "linger", gate)
    client.server.reached(gate)
    client.server.signal(signal.SIGTERM)
    client.server.let(gate)
    assert b"lingered" in connection.answer("POST").all()
    client.server.ended()


def test_a_server_that_ends_cancels_calls_that_outstay_their_grace(
    start: Callable[..., Client], gate: str
):
    client = start(LITRO_MCP_TOKEN=TOKEN, LITRO_GRACE="0.1")
    connection = begin(client, "linger", gate)
    client.server.reached(gate)
    client.server.signal(signal.SIGTERM)
    assert connection.answer("POST").told() == (503, "going-away")
    assert (client.server.gates / f"{gate}.left").exists()
    client.server.ended()
