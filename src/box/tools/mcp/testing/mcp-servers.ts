import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { ServerTarget } from "../../../../shared/contract/integrations.ts"

type Command = Extract<ServerTarget, { kind: "command" }>
const require = createRequire(import.meta.url)
const everythingServer = require.resolve("@modelcontextprotocol/server-everything/dist/index.js")
const filesystemServer = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js")

/** The protocol's official test server, as a local process. */
export const everything: Command = {
  kind: "command",
  command: process.execPath,
  args: [everythingServer, "stdio"],
}

/** The protocol's official file server for one directory. */
export const filesystem = (directory: string): Command => ({
  kind: "command",
  command: process.execPath,
  args: [filesystemServer, directory],
})

export interface ScriptedServer {
  target: Command
  /**
   * Sets what the server returns from its next listing on. With `next`, the server announces a change during that listing and returns
   * `next` from the following one on.
   */
  offer(tools: object[], next?: object[]): Promise<void>
}

/** A server that offers what a test writes to a file in the directory. */
export function scriptedServer(directory: string): ScriptedServer {
  const file = join(directory, "tools.json")
  const script = fileURLToPath(new URL("./scripted-server.ts", import.meta.url))
  return {
    target: { kind: "command", command: process.execPath, args: [script, file] },
    offer: (tools, next) => writeFile(file, JSON.stringify({ tools, next })),
  }
}

export const tool = (name: string, description = `Does ${name}.`) => ({
  name,
  description,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
})

export interface HttpServer extends AsyncDisposable {
  url: string
}

/** Prints the port on which the process listens. The official server prints only the one it was given. */
const portReporter = `import { subscribe } from "node:diagnostics_channel"
subscribe("tracing:net.server.listen:asyncEnd", ({ server }) => console.log("port", server.address().port))`

/** The protocol's official test server over HTTP, with its newer or its first transport. */
export async function startEverything(kind: "streamableHttp" | "sse"): Promise<HttpServer> {
  const reporter = `data:text/javascript,${encodeURIComponent(portReporter)}`
  const child = spawn(process.execPath, ["--import", reporter, everythingServer, kind], {
    env: { PORT: "0" },
    stdio: ["ignore", "pipe", "ignore"],
  })
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, listening] = /^port (\d+)$/.exec(line) ?? []
      if (listening !== undefined) resolve(listening)
    })
    child.once("exit", () => reject(new Error("The server ended before it listened.")))
  })
  return {
    url: `http://127.0.0.1:${port}/${kind === "sse" ? "sse" : "mcp"}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL")
      await once(child, "exit")
    },
  }
}
