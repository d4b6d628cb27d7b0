import { describe, expect, test } from "vitest"
import { z } from "zod"
import { integrationTools } from "../../shared/contract/tools.ts"
import { createToolbox, noIntegrations } from "./registry.ts"
import { defineTool, type Tool } from "./tool.ts"

const tool = (key: string, name = key, unusable?: Tool["unusable"]): Tool => ({
  ...defineTool({
    key,
    description: "A tool.",
    effects: ["read"],
    result: { trusted: true, private: false },
    args: z.object({}),
    run: () => Promise.resolve({ content: "" }),
  }),
  name,
  ...(unusable && { unusable }),
})

const toolbox = createToolbox({
  core: [
    tool("plot"),
    tool("calculate"),
    tool("webSearch", "webSearch", () => Promise.resolve("nobody searches")),
  ],
  integrations: {
    ...noIntegrations,
    linked: (userId) => Promise.resolve(new Set(userId === "ann" ? ["int_jira"] : [])),
    tools: (userId, keys) =>
      Promise.resolve(
        userId === "ann" && keys.includes("int_jira")
          ? [
              tool("int_jira", "write"),
              tool("int_jira", "list"),
              tool("int_jira", "memory"),
              tool("int_jira", "readFile"),
            ]
          : [],
      ),
    servers: (userId) => {
      const server = {
        name: "Notes",
        description: "Mine.",
        group: "mcp",
        effect: "write",
        linked: true,
      } as const
      return Promise.resolve(userId === "ann" ? [{ key: "mcp_notes", ...server }] : [])
    },
  },
})
const switchOn = async (userId: string, ...keys: string[]) => {
  const { tools, missing } = await toolbox.switchedOn(
    userId,
    Object.fromEntries(keys.map((key) => [key, true])),
  )
  return { tools: tools.map(({ name }) => name), missing: missing.map(({ name }) => name) }
}

describe("an assistant's tools", () => {
  // Catches a prompt that depends on the order of a map, so that the model has to evaluate all of it again. Also catches an account's tool
  // that takes a built-in tool's name, together with its permissions.
  test("have a constant order, whatever order they were switched on in", async () => {
    const expected = { tools: ["calculate", "plot", "list", "write"], missing: [] }
    expect(await switchOn("ann", "int_jira", "plot", "calculate")).toEqual(expected)
    expect(await switchOn("ann", "calculate", "plot", "int_jira")).toEqual(expected)
  })

  // Catches one user's account in another's chat, and tools that disappear without notice.
  test("are those that work for this user, and the others are reported as missing", async () => {
    expect(await switchOn("bob", "int_jira", "webSearch", "fetch", "calculate")).toEqual({
      tools: ["calculate"],
      missing: ["Web search", "Fetch page", "Jira"],
    })
    expect(await toolbox.switchedOn("ann", { calculate: false, plot: true })).toMatchObject({
      tools: [{ key: "plot" }],
      missing: [],
    })
  })
})

// Catches a list that includes unusable tools, or that leaves out a key.
test("lists the usable tools correctly for each user", async () => {
  const getLinked = async (userId: string) =>
    (await toolbox.list(userId)).filter(({ linked }) => linked).map(({ key }) => key)
  expect(await getLinked("bob")).toEqual(["calculate", "assistant", "plot"])
  expect(await getLinked("ann")).toEqual(["calculate", "assistant", "plot", "int_jira", "mcp_notes"])
  expect((await toolbox.list("bob")).length).toBe(11 + Object.keys(integrationTools).length)
})

test("recognises a key only if its server belongs to the user", async () => {
  const keys = ["calculate", "int_jira", "mcp_notes", "mcp_other"]
  expect(await toolbox.unknown("ann", keys)).toEqual(["mcp_other"])
  expect(await toolbox.unknown("bob", keys)).toEqual(["mcp_notes", "mcp_other"])
})
