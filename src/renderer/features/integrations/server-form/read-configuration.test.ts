import { expect, test } from "vitest"
import { readConfiguration } from "./ImportDialog.tsx"

// Catches a server imported with a wrong command or without its token.
test("reads the configurations of other programs", () => {
  const mcpServers = {
    files: { command: "npx", args: ["-y", "files", "/home"], env: { A: "1" } },
    notes: { type: "http", url: "https://notes.example/mcp", headers: { Authorization: "Bearer t0ken" } },
  }
  expect(readConfiguration(JSON.stringify({ mcpServers }))).toEqual([
    {
      name: "files",
      target: { kind: "command", command: "npx", args: ["-y", "files", "/home"] },
      env: { A: "1" },
    },
    { name: "notes", target: { kind: "http", url: "https://notes.example/mcp" }, token: "t0ken" },
  ])
  expect(readConfiguration(JSON.stringify({ servers: { x: { command: "run" } } }))).toHaveLength(1)
})

test.each(["", "{", "[]", '{"mcpServers": {"x": "y"}}'])("refuses %s", (text) =>
  expect(readConfiguration(text)).toBeNull(),
)
