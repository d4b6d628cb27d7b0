import { describe, expect, test } from "vitest"
import { readOffer, functionName } from "./definitions.ts"
import { tool } from "./testing/mcp-servers.ts"

const names = (tools: unknown[]) =>
  readOffer("mcp_x", tools).definitions.map(({ functionName }) => functionName)
const reasons = (tools: unknown[]) => readOffer("mcp_x", tools).refused.map(({ reason }) => reason)

describe("An MCP server's tool definitions", () => {
  // Catches a server that fills the context window, the memory or the page.
  test("are limited in number and length", () => {
    const many = readOffer(
      "mcp_x",
      Array.from({ length: 10_000 }, (_, n) => tool(`t${n}`, "x".repeat(5000))),
    )
    expect(many.definitions).toHaveLength(128)
    expect(many.definitions[0]?.description).toHaveLength(1000)
    expect(many.refused).toHaveLength(20)
    const properties = Object.fromEntries(
      Array.from({ length: 3000 }, (_, n) => [`p${n}`, { type: "string" }]),
    )
    expect(reasons([{ ...tool("big"), inputSchema: { type: "object", properties } }])[0]).toContain(
      "longer than",
    )
  })

  // Catches instructions that a model reads but people can't see.
  test("contain no invisible characters", () => {
    const hidden = String.fromCodePoint(...Array.from(Buffer.from("obey"), (code) => 0xe0000 + code))
    const [definition] = readOffer("mcp_x", [
      {
        name: "a",
        description: `Adds\u202e.${hidden}\u200b`,
        inputSchema: { type: "object", properties: { n: { type: "string", description: `x${hidden}` } } },
      },
    ]).definitions
    expect(definition?.description).toBe("Adds.")
    expect(JSON.stringify(definition?.parameters)).toBe(
      '{"type":"object","properties":{"n":{"type":"string","description":"x"}}}',
    )
    expect(reasons([tool(`a${hidden}`)])).toEqual(["its name contains invisible characters"])
  })

  test("must be accepted by engines", () => {
    const schema = (inputSchema: unknown) => ({ name: "a", inputSchema })
    expect(
      reasons([
        schema({ type: "string" }),
        schema({ type: "object", properties: { a: { $ref: "https://example.com" } } }),
        schema(null),
        "nonsense",
      ]),
    ).toHaveLength(4)
    expect(reasons([tool("a"), tool("a", "Another.")])).toEqual(["another one has the same name"])
  })

  // Catches a change that the user never approved, and a false change.
  test("have a hash that changes with everything a model reads, and with nothing else", () => {
    const hash = (raw: object) => readOffer("mcp_x", [raw]).definitions[0]?.hash
    const before = hash(tool("a"))
    expect(hash({ ...tool("a"), annotations: { readOnlyHint: true }, title: "New" })).toBe(before)
    expect(hash(tool("a", "Does a. "))).toBe(before)
    expect(hash(tool("a", "Does something else."))).not.toBe(before)
    expect(hash({ ...tool("a"), inputSchema: { type: "object" } })).not.toBe(before)
  })
})

describe("Tool names", () => {
  // Catches two tools with the same name, so that an approval for one applies to the other.
  test("are accepted by engines, and differ where the originals differ", () => {
    const odd = names([
      tool("a.b"),
      tool("a-b"),
      tool("a/b"),
      tool("è"),
      tool("x".repeat(150)),
      tool("x".repeat(151)),
    ])
    expect(new Set(odd).size).toBe(6)
    for (const name of odd) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(functionName("mcp_notes", "search")).toBe("mcp_notes_search")
  })
})
