"""Every message of the bridge is one that the specification's own schemas know."""

import json
from typing import Any

import mcp_types
import pytest
from bridge_host import GREETING, Host
from jsonschema import Draft202012Validator
from mcp_rigs import packages

SCHEMA = "node_modules/@modelcontextprotocol/ext-apps/dist/src/generated/schema.json"
KINDS = {
    "ui/initialize": "McpUiInitializeRequest",
    "ui/notifications/initialized": "McpUiInitializedNotification",
    "ui/notifications/size-changed": "McpUiSizeChangedNotification",
    "ui/open-link": "McpUiOpenLinkRequest",
    "ui/message": "McpUiMessageRequest",
    "ui/update-model-context": "McpUiUpdateModelContextRequest",
    "ui/request-display-mode": "McpUiRequestDisplayModeRequest",
}
MCP = {
    "tools/call": mcp_types.CallToolRequestParams,
    "resources/read": mcp_types.ReadResourceRequestParams,
    "notifications/message": mcp_types.LoggingMessageNotificationParams,
}
ALL = """() => {
    const block = {type: "image", data: "", mimeType: "image/png"};
    const quiet = (asked) => void asked.catch(() => {});
    quiet(litroMcp.callTool("forecast", {city: "Bern"}));
    quiet(litroMcp.readResource(new URL("ui://weather/card")));
    quiet(litroMcp.openLink(new URL("https://example.com/")));
    quiet(litroMcp.sendMessage("hi"));
    quiet(litroMcp.sendMessage([{type: "text", text: "hi"}, block]));
    quiet(litroMcp.updateModelContext({content: "hot"}));
    quiet(litroMcp.updateModelContext({content: block, structuredContent: {t: 21}}));
    quiet(litroMcp.requestDisplayMode("fullscreen"));
}"""


@pytest.fixture(scope="module")
def definitions() -> dict[str, Any]:
    """What a message of the specification looks like, by its name."""
    return json.loads((packages() / SCHEMA).read_text())["$defs"]


def test_every_message_is_in_the_schema(definitions: dict[str, Any], host: Host):
    host.open()
    host.result({"innerHTML": "x"})
    host.run(ALL)
    host.pass_time(50)
    host.hears("ui/notifications/size-changed")
    host.hears("ui/request-display-mode")
    messages = [message for message in host.log if "method" in message]
    assert {message["method"] for message in messages} == KINDS.keys() | MCP.keys()
    for message in messages:
        assert message.pop("jsonrpc") == "2.0"
        message.pop("id", None)
        method = message["method"]
        if method in MCP:
            assert message.keys() == {"method", "params"}
            assert message["params"].keys() <= MCP[method].model_fields.keys() | {"arguments"}
            MCP[method].model_validate(message["params"])
        else:
            Draft202012Validator(definitions[KINDS[method]]).validate(message)


def test_every_answer_is_in_the_schema(definitions: dict[str, Any], host: Host):
    host.open()
    torn = host.ask("ui/resource-teardown")
    assert torn.keys() == {"jsonrpc", "id", "result"}
    Draft202012Validator(definitions["McpUiResourceTeardownResult"]).validate(torn["result"])
    mcp_types.EmptyResult.model_validate(host.ask("ping")["result"])
    mcp_types.JSONRPCError.model_validate(host.ask("tools/list"))


def test_the_host_of_these_tests_speaks_as_hosts_do(definitions: dict[str, Any]):
    Draft202012Validator(definitions["McpUiInitializeResult"]).validate(GREETING)
