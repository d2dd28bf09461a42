/**
 * A host of MCP Apps, of the official AppBridge and the official client: one tool is called, and its app shown.
 *
 * The address says which: `mcp` (the server), `tool`, `args`, `era` (none is the handshake's), `sandbox` (the outer frame's address, of
 * another origin). The result is held back until `host.release()`.
 */
import { AppBridge, getToolUiResourceUri, PostMessageTransport, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/app-bridge";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const CAN = {
  ...{ openLinks: {}, serverTools: {}, serverResources: {}, logging: {} },
  ...{ updateModelContext: { text: {} }, message: { text: {} } },
};
const CONTEXT = {
  theme: "dark",
  locale: "en",
  displayMode: "inline",
  availableDisplayModes: ["inline", "fullscreen"],
  styles: { variables: { "--font-sans": "monospace", "--color-text-primary": "rgb(250, 240, 230)" } },
};

const asked = new URLSearchParams(location.search);
const args = JSON.parse(asked.get("args"));
const { promise: released, resolve: release } = Promise.withResolvers();
const host = (window.host = { release });

const client = new Client(
  { name: "appbridge-host", version: "1.0.0" },
  {
    capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } },
    ...(asked.get("era") ? { versionNegotiation: { mode: asked.get("era") } } : {}),
  },
);
await client.connect(new StreamableHTTPClientTransport(new URL(asked.get("mcp"))));
host.revision = client.getNegotiatedProtocolVersion();
host.extensions = client.getServerCapabilities().extensions;

const { tools } = await client.listTools();
const tool = tools.find(({ name }) => name === asked.get("tool"));
const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) });
const [{ text, mimeType, _meta: { ui = {} } = {} }] = contents;
if (mimeType !== RESOURCE_MIME_TYPE) throw new Error(`The app is of type ${mimeType}.`);

const frame = document.createElement("iframe");
frame.style = "width: 480px; max-width: 100%; height: 300px; border: 0";
frame.sandbox = "allow-scripts allow-same-origin allow-forms";
frame.src = `${asked.get("sandbox")}?csp=${encodeURIComponent(JSON.stringify(ui.csp ?? {}))}`;
const proxyReady = new Promise((ready) => {
  addEventListener("message", ({ source, data }) => {
    if (source === frame.contentWindow && data?.method === "ui/notifications/sandbox-proxy-ready") ready();
  });
});
document.body.append(frame);
await proxyReady;

const bridge = new AppBridge(client, { name: "appbridge-host", version: "1.0.0" }, CAN, {
  hostContext: { ...CONTEXT, toolInfo: { tool } },
});
bridge.onsizechange = ({ height }) => {
  if (height) frame.style.height = `${height}px`;
};
const initialized = new Promise((ready) => (bridge.oninitialized = ready));
await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
await bridge.sendSandboxResourceReady({ html: text, csp: ui.csp, permissions: ui.permissions });
await initialized;
host.app = bridge.getAppVersion();
host.change = (context) => bridge.sendHostContextChange(context);
host.teardown = () => bridge.teardownResource({});

await bridge.sendToolInput({ arguments: args });
host.result = await client.callTool({ name: tool.name, arguments: args });
await released;
await bridge.sendToolResult(host.result);
