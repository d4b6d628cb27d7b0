import {
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  isSpecType,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
} from "@modelcontextprotocol/client"
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { mcpPath } from "../../shared/contract/mcp-server.ts"
import type { Command } from "./command.ts"
import { callerFlags, withRunningBox, type RunningBox } from "./running-box.ts"

/** Provides the box's tools to programs that start their MCP servers themselves and communicate over standard input and output. */
export const mcpCommand: Command = {
  words: ["mcp"],
  takes: [],
  summary: "Run the MCP server over stdio",
  flags: callerFlags,
  callsBox: true,
  run: (flags) =>
    withRunningBox(flags, async (box) => {
      await bridge(box)
      return []
    }),
}

/** Forwards messages in both directions until the program closes its end or the command is stopped. */
async function bridge({ url, key, stopped }: RunningBox): Promise<void> {
  const program = new StdioServerTransport()
  const box = new StreamableHTTPClientTransport(new URL(mcpPath, url), {
    requestInit: { headers: { "x-api-key": key } },
  })
  const over = Promise.withResolvers<void>()
  let greeting: string | number | undefined
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports are no event targets
  program.onmessage = (message) => {
    if (isInitializeRequest(message) && isJSONRPCRequest(message)) greeting = message.id
    box.send(message).catch((error: unknown) => {
      process.stderr.write(`${toMessage(error)}\n`)
      if (isJSONRPCRequest(message)) void program.send(failed(message.id, error))
    })
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- as above
  box.onmessage = (message) => {
    if (isJSONRPCResultResponse(message) && message.id === greeting) takeVersion(message.result)
    void program.send(message)
  }
  const takeVersion = (result: unknown) => {
    if (isSpecType.InitializeResult(result)) box.setProtocolVersion(result.protocolVersion)
  }
  process.stdin.once("end", over.resolve)
  process.stdin.once("close", over.resolve)
  process.stdout.once("error", over.resolve) // no one reads the output any more
  stopped.addEventListener("abort", () => over.resolve())
  await box.start()
  await program.start()
  try {
    await over.promise
  } finally {
    await box.close() // ends requests that the box is still working on for the program
    await program.close()
  }
  stopped.throwIfAborted()
}

const toMessage = (error: unknown) => (error instanceof Error ? error.message : String(error))

const failed = (id: string | number, error: unknown): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32_000, message: `Casella can't be reached: ${toMessage(error)}` },
})
