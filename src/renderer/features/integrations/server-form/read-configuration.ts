import { z } from "zod"
import type { ServerDraft } from "../../../../shared/contract/integrations.ts"
import { record } from "../../../../shared/contract/primitives.ts"

const Program = z.object({
  command: z.string(),
  args: z.array(z.string()).default([]),
  env: record(z.string()).default({}),
})
const Address = z.object({
  url: z.string().optional(),
  serverUrl: z.string().optional(),
  headers: record(z.string()).default({}),
})
const Servers = record(z.union([Program, Address]))
const Configuration = z.union([
  z.object({ mcpServers: Servers }).transform(({ mcpServers }) => mcpServers),
  z.object({ servers: Servers }).transform(({ servers }) => servers),
])

/** Returns the servers in another program's configuration (`mcpServers`, or `servers`); null if it isn't a configuration. */
export function readConfiguration(text: string): z.input<typeof ServerDraft>[] | null {
  const parsed = Configuration.safeParse(parseJson(text))
  if (!parsed.success) return null
  return Object.entries(parsed.data).map(([name, server]) => {
    if ("command" in server) {
      const { command, args, env } = server
      return { name: name.slice(0, 40), target: { kind: "command", command, args }, env }
    }
    const { url, serverUrl, headers } = server
    const authorization = Object.entries(headers).find(([key]) => key.toLowerCase() === "authorization")?.[1]
    const token = /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1]
    const target = { kind: "http" as const, url: url ?? serverUrl ?? "" }
    return { name: name.slice(0, 40), target, ...(token === undefined ? {} : { token }) }
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
