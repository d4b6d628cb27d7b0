import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

/** Connects the MCP SDK's client to a box with a key. */
export async function connectMcp(
  boxUrl: string,
  headers: Record<string, string>,
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const transport = new StreamableHTTPClientTransport(new URL("/api/mcp", boxUrl), {
    requestInit: { headers },
  })
  const client = new Client({ name: "test", version: "1" })
  await client.connect(transport)
  return { client, transport }
}

/** Returns a tool's result as text, and as data if there is any. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
  const texts = content.map((part) => (part.type === "text" ? part.text : ""))
  return { texts, text: texts.join("\n"), data: structuredContent ?? {}, isError: isError === true }
}
