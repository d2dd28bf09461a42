/**
 * A host of MCP Apps, of `@mcp-ui/client`'s AppRenderer: React, and the official client of the generation before.
 *
 * The address says what is shown, as in appbridge.js. The result is held back until `host.release()`.
 */
import { createElement, useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";

import { AppRenderer } from "@mcp-ui/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const MIME = "text/html;profile=mcp-app";

const asked = new URLSearchParams(location.search);
const call = { name: asked.get("tool"), arguments: JSON.parse(asked.get("args")) };
const { promise: released, resolve: release } = Promise.withResolvers();
const host = (window.host = { release });

// The renderer tells its app of the context before the two are connected, and leaves that unhandled.
addEventListener("unhandledrejection", (event) => {
  if (event.reason?.message === "Not connected") event.preventDefault();
});

// One object each: the renderer takes every new one for a change.
const SANDBOX = { url: new URL(asked.get("sandbox")) };
const CONTEXT = { theme: "dark", locale: "en" };

const client = new Client(
  { name: "mcpui-host", version: "1.0.0" },
  { capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME] } } } },
);
await client.connect(new StreamableHTTPClientTransport(new URL(asked.get("mcp"))));

function Host() {
  const [toolResult, setToolResult] = useState();
  const renderer = useRef(null);
  useEffect(() => {
    host.teardown = () => renderer.current.teardownResource();
    void client.callTool(call).then(async (result) => {
      host.result = result;
      await released;
      setToolResult(result);
    });
  }, []);
  return createElement(AppRenderer, {
    ref: renderer,
    client,
    toolName: call.name,
    toolInput: call.arguments,
    toolResult,
    sandbox: SANDBOX,
    hostContext: CONTEXT,
    onError: (error) => console.error(error),
  });
}

const box = document.createElement("div");
box.style = "width: 480px; max-width: 100%";
document.body.append(box);
createRoot(box).render(createElement(Host));
