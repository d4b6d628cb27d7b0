import { describe, expect, test } from "vitest"
import { createFinder, createToolSearch, listFoundTools } from "./find-tools.ts"
import { z } from "zod"
import { defineTool, type Tool } from "./tool.ts"

const named = (name: string, description: string, key = "int_jira"): Tool => ({
  ...defineTool({
    key,
    description,
    effects: ["read"],
    result: { trusted: false, private: true },
    args: z.object({ text: z.string() }),
    run: () => Promise.resolve({ content: "" }),
  }),
  name,
})
const tools = [
  named("list_invoices", "Lists the invoices of the account."),
  named("list_letters", "Lists the letters of the account."),
  named("archive_letter", "Puts a letter into the archive of the account."),
  named("getWeather2", "Tells how warm it is in a city.", "mcp_other"),
]
const names = (found: readonly Tool[]) => found.map(({ name }) => name)

describe("a tool search", () => {
  const search = createToolSearch(tools)

  // Catches common words that outrank the tool that was meant.
  test("ranks tools with rare words first", () => {
    expect(names(search("list the letters"))[0]).toBe("list_letters")
    expect(names(search("archiving old letters of the account"))[0]).toBe("archive_letter")
    expect(names(search("WEATHER in the city"))[0]).toBe("getWeather2")
    expect(search("photosynthesis")).toEqual([])
  })

  test("ranks a tool found by its name above tools that only share words with it", () => {
    expect(names(search("list letters, letter archive and then list_invoices"))[0]).toBe("list_invoices")
  })

  test("returns only a few tools", () => {
    const many = Array.from({ length: 50 }, (_, index) => named(`list_${index}`, "Lists letters."))
    expect(createToolSearch(many)("letters")).toHaveLength(5)
  })
})

describe("the tool that finds tools", () => {
  const context = {
    userId: "alice",
    chatId: "c1",
    messageId: "message",
    toolCallId: "call_1",
    folderIds: [],
    generated: [],
    staysHere: () => Promise.resolve(false),
    signal: new AbortController().signal,
  }
  const finder = (hidden: readonly Tool[], room = 1000) =>
    createFinder(hidden, createToolSearch(hidden), { room, getSize: () => 400 })
  const find = async (query: string) => (await finder(tools).run({ query }, context)).content

  // Catches descriptions that are cut off because they don't all fit.
  test("returns what the model needs to call the tools, as many as fit", async () => {
    const { functions } = (await find("list letters")) as { functions: unknown[] }
    expect(functions).toHaveLength(2)
    const { name, description, parameters } = tools[1] ?? named("", "")
    expect(functions[0]).toEqual({ name, description, parameters })
  })

  test("lists the available tools if nothing matches", async () => {
    expect(await find("photosynthesis")).toEqual({
      functions: [],
      message: expect.stringContaining("list_invoices, getWeather2, list_letters, archive_letter") as string,
    })
  })

  // Catches a list of names that grows with the number of accounts until the description is too long again.
  test("names only some tools of each account and server in its description", () => {
    const many = Array.from({ length: 90 }, (_, index) => named(`read_thing_${index}`, ""))
    const { description } = finder([...many, ...tools.slice(3)])
    expect(description.length).toBeLessThan(260)
    expect(description).toContain("read_thing_0, getWeather2, read_thing_1,")
    expect(description).toMatch(/, \d\d more\.$/)
  })

  test("recognises the tools it found from the messages of the chat", () => {
    const call = {
      type: "tool-call",
      toolCallId: "a",
      toolName: "findTools",
      args: { query: "letters" },
    } as const
    const result = { functions: [{ name: "list_letters" }, { name: "archive_letter" }] }
    expect(listFoundTools([call, { type: "tool-result", toolCallId: "a", result }])).toEqual([
      "list_letters",
      "archive_letter",
    ])
    expect(listFoundTools([call, { type: "tool-result", toolCallId: "b", result }])).toEqual([])
    expect(
      listFoundTools([
        call,
        { type: "tool-result", toolCallId: "a", result: "[Cut here: 1 of 2 characters]" },
      ]),
    ).toEqual([])
  })
})
