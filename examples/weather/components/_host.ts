interface ToolResult {
  content?: { type: string; text?: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}

declare global {
  interface Window {
    /** Litro's bridge to the MCP host that shows the card; there is none on a page or in the chat. */
    litroMcp?: {
      callTool(name: string, args: object): Promise<ToolResult>;
      applyResult(result: ToolResult): void;
    };
  }
}

/** Has the host call a tool of the card's server. What went wrong, the tool's own error too, is thrown. */
export async function ask(tool: string, args: object): Promise<ToolResult> {
  if (!window.litroMcp) throw new Error("No host is here to ask.");
  const result = await window.litroMcp.callTool(tool, args);
  if (!result.isError) return result;
  throw new Error(result.content?.find((part) => part.type === "text")?.text ?? `${tool} failed.`);
}
