"""A page that plays an MCP host: it frames a view with the real bridge, answers what it is told to, and logs what the view sends.

It is no judge, and no copy of a host: it sends anything, allowed or not.
"""

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

from playwright.sync_api import Frame, Page

import litro

BRIDGE = (Path(litro.__file__).parent / "assets/bridge.js").read_text()
CARD = "<test-card></test-card>"
META = {"name": "weather", "version": "1.2.3", "displayModes": ["inline", "fullscreen"]}
GREETING: dict[str, Any] = {
    "protocolVersion": "2026-01-26",
    "hostInfo": {"name": "a-host", "version": "1"},
    "hostCapabilities": {"logging": {}, "serverTools": {}},
    "hostContext": {},
}
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
_HOST = """<!doctype html><style>iframe { border: 0; width: 400px }</style><iframe></iframe><script>
const frame = document.querySelector("iframe");
const log = [];
let answers = {};
addEventListener("message", ({source, data}) => {
    if (source !== frame.contentWindow) return;
    log.push(data);
    if (data.method in answers && data.id !== undefined) send({id: data.id, ...answers[data.method]});
});
const send = (message) => frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
async function open({how, html, answers: wanted}) {
    answers = wanted;
    if (how === "write") {
        frame.contentDocument.open();
        frame.contentDocument.write(html);
        frame.contentDocument.close();
        return;
    }
    if (how === "sandbox") frame.sandbox = "allow-scripts";
    const loaded = new Promise((resolve) => (frame.onload = resolve));
    frame.srcdoc = html;
    await loaded;
}
function heard(test) {
    return new Promise((resolve) => {
        const look = () => {
            const found = log.find(test);
            if (found) resolve(found);
            return found;
        };
        if (!look()) addEventListener("message", look);
    });
}
</script>"""

_CLOCK = """{
let now = 0, last = 0;
window.timers = new Map();
window.setTimeout = (run, ms = 0, ...more) => {
    // As browsers do it.
    timers.set(++last, {run: () => run(...more), at: now + (ms < 2 ** 31 ? ms : 0)});
    return last;
};
window.clearTimeout = (id) => timers.delete(id);
window.passTime = (ms) => {
    now += ms;
    for (const [id, {run, at}] of [...timers].sort(([, a], [, b]) => a.at - b.at)) if (at <= now && timers.delete(id)) run();
};
}"""


class Host:
    """A host with one view.

    Args:
        page: An empty page of the browser's.
        real: Whether time passes by itself in the view, rather than by `pass_time`.
    """

    def __init__(self, page: Page, *, real: bool = False) -> None:
        self.page = page
        self.clock = "" if real else _CLOCK
        page.goto("about:blank")
        page.set_content(_HOST)
        self._ids = map("host-{}".format, count(1))

    def open(
        self,
        body: str = CARD,
        *,
        before: str = "",
        style: str = "",
        meta: dict[str, Any] | None = META,
        greeting: dict[str, Any] | None = None,
        answers: dict[str, Any] | None = None,
        how: str = "srcdoc",
        bridge: str = BRIDGE,
    ) -> None:
        """Frame a document whose last script is the bridge, and greet it back.

        Args:
            body: The shell.
            before: Source of scripts that run before the bridge.
            style: CSS.
            meta: What the packer says of the app.
            greeting: What goes into the greeting's result.
            answers: What to answer to which method, in place of a greeting too; no answer where it is None.
            how: `srcdoc`, `sandbox` (that in an origin of its own, which takes a process), or `write`.
            bridge: Source of the bridge.
        """
        told = "" if meta is None else f"window.__litroMcpApp = {json.dumps(meta)};"
        html = (
            f'<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="{_POLICY}"><style>{style}</style>'
            f"</head><body>{body}<script>{self.clock}{told}{before}</script><script>{bridge}</script></body></html>"
        )
        wanted = {"ui/initialize": {"result": {**GREETING, **(greeting or {})}}, **(answers or {})}
        wanted = {method: answer for method, answer in wanted.items() if answer is not None}
        self.page.evaluate("open", {"how": how, "html": html, "answers": wanted})
        self.hears("ui/initialize")
        if "result" in wanted.get("ui/initialize", {}):
            self.hears("ui/notifications/initialized")

    @property
    def view(self) -> Frame:
        return self.page.frames[1]

    def run(self, script: str, argument: object = None) -> Any:
        """Run a script in the view: of a function, or an expression."""
        return self.view.evaluate(script, argument)

    def card(self, *names: str) -> Any:
        """Properties of the root element, as JSON would have them."""
        read = "names => names.map(name => document.body.firstElementChild[name] ?? null)"
        return self.run(read, list(names))

    @property
    def log(self) -> list[dict[str, Any]]:
        """All that the view has sent."""
        return self.page.evaluate("log")

    def sent(self, method: str) -> list[dict[str, Any]]:
        """The parameters of all messages of a method."""
        return [message["params"] for message in self.log if message.get("method") == method]

    def hears(self, method: str) -> dict[str, Any]:
        """The first message of a method: it is waited for."""
        return self.page.evaluate("method => heard(message => message.method === method)", method)

    def send(self, **message: Any) -> None:
        """Send anything."""
        self.page.evaluate("send", message)

    def tell(self, method: str, params: object = None) -> None:
        """Send a notification, and wait until the view is done with it."""
        self.send(method=method, params=params)
        self.ask("ping")

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        """Send a request. Returns the response."""
        request = next(self._ids)
        self.send(id=request, method=method, params={} if params is None else params)
        return self.answer(request)

    def answer(self, request: str) -> dict[str, Any]:
        """The view's response: it is waited for."""
        return self.page.evaluate("id => heard(message => message.id === id)", request)

    def result(self, data: object = None, **more: Any) -> None:
        """Tell a tool's result."""
        self.tell(
            "ui/notifications/tool-result", {"content": [], "structuredContent": data, **more}
        )

    def pass_time(self, ms: int) -> None:
        self.run("passTime", ms)

    def settle(self) -> None:
        """With a real clock: wait until the view has drawn twice, and until what it put off then is done."""
        script = """() => new Promise((resolve) => {
            requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 50)));
        })"""
        self.run(script)


def warnings(host: Host) -> list[str]:
    """What the view has told the host's log."""
    said = host.sent("notifications/message")
    assert all(entry["level"] == "warning" for entry in said)
    return [entry["data"] for entry in said]


def names_in(warning: str) -> set[str]:
    """The properties that a warning names."""
    found = re.fullmatch(r"<[\w-]+> was not given the following properties: (.*)\.", warning)
    assert found, warning
    return set(found[1].split(", "))
