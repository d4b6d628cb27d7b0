import { afterEach, describe, expect, test } from "vitest"
import type { Round } from "../../../../testing/model-servers/model-server.ts"
import type { ModelRequest } from "../../../../testing/model-servers/model-server.ts"
import { named, of, startToolTalk, testTool, getText } from "../../testing/tool-talk.ts"
import type { ChatAssistant } from "../turn.ts"

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const save = (text: string) => ({ name: "memory", args: { text } })
const delegate = (handle: string, task = `A task for ${handle}.`) => ({
  name: "assistant",
  args: { handle, task },
})

/** Answers as the assistant whose instructions start the request, and counts the rounds of each. */
async function talk(
  assistants: ChatAssistant[],
  speak: (name: string, round: number, request: ModelRequest) => Round,
) {
  const rounds = new Map<string, number>()
  const runs: string[] = []
  const memory = testTool("memory", (text) => {
    runs.push(`memory ${text}`)
    return { content: "saved" }
  })
  const calculate = testTool("calculate", (text) => {
    runs.push(`calculate ${text}`)
    return {
      content: "calculated",
      parts: [{ type: "file", name: "sum.txt", mediaType: "text/plain", bytes: Buffer.from(text) }],
    }
  })
  const started = await startToolTalk(
    (request) => {
      const name = /I am (\w+)\./.exec(request.messages[0]?.content ?? "")?.[1] ?? ""
      const round = (rounds.get(name) ?? 0) + 1
      rounds.set(name, round)
      return speak(name, round, request)
    },
    { assistants, tools: [memory, calculate] },
  )
  return { ...stack.use(started), runs, rounds }
}

describe("a delegated task", () => {
  // Catches a delegate that works with the other assistant's instructions, or sees the chat.
  test("is answered by the other assistant alone, with its own instructions, and its files are added to the answer", async () => {
    const chat = await talk([named("boss"), named("expert")], (name, round) => {
      if (name === "boss")
        return round === 1 ? { calls: [delegate("@expert", "A task.")] } : { text: "It says so." }
      return round === 1 ? { calls: [{ name: "calculate", args: { text: "7" } }] } : { text: "Seven." }
    })
    const events = await chat.ask("My secret question", { assistantId: "boss" })
    expect(of(events, "tool-result").map(({ result }) => result)).toEqual(["Seven."])
    expect(of(events, "file")).toMatchObject([{ name: "sum.txt", size: 1 }])
    expect(getText(events)).toBe("It says so.")
    const asked = chat.model.requests.find(({ messages }) => messages[0]?.content?.includes("I am expert."))
    expect(asked?.messages[1]).toEqual({ role: "user", content: "A task." })
    expect(JSON.stringify(asked)).not.toContain("secret")
    const { chats } = await chat.server.getClient("alice").conversations.list()
    expect(chats).toHaveLength(1)
  })

  // Catches assistants that delegate in a circle or ever deeper.
  test("goes to no assistant that waits for it, and at most three levels deep", async () => {
    const names = ["one", "two", "three", "four", "five"]
    const chat = await talk(
      names.map((name) => named(name)),
      (name, round, request) => {
        const next = names[names.indexOf(name) + 1] ?? "one"
        const canAsk = request.tools?.some((tool) => tool.function.name === "assistant") ?? false
        return round === 1 && canAsk
          ? { calls: [delegate("one"), delegate(next)] }
          : { text: `${name} is done.` }
      },
    )
    const events = await chat.ask("Go.", { assistantId: "one" })
    expect([...chat.rounds.keys()]).toEqual(["one", "two", "three", "four"])
    expect(of(events, "tool-result")[0]?.result).toMatchObject({
      error: expect.stringMatching(/no assistant one/) as string,
    })
    const deepest = chat.model.requests.find(({ messages }) => messages[0]?.content?.includes("I am four."))
    expect(deepest?.messages[0]?.content).toMatch(/handed on as often as it may be/)
  })

  // Catches a way around the permission mode: delegating to an assistant that needs no approval.
  test("runs under the stricter of both modes", async () => {
    const speak = (name: string, round: number): Round => {
      if (name === "boss") return round === 1 ? { calls: [delegate("expert")] } : { text: "Done." }
      return round === 1 ? { calls: [save("x")] } : { text: "Saved." }
    }
    for (const [bossMode, expertMode, asks] of [
      ["auto", "bypass", true],
      ["bypass", "auto", true],
      ["bypass", "bypass", false],
    ] as const) {
      const boss = named("boss", { permissionMode: bossMode })
      const expert = named("expert", { permissionMode: expertMode })
      const chat = await talk([boss, expert], speak)
      const events = await chat.ask("Go.", { assistantId: "boss" })
      expect(of(events, "tool-approval-request"), `${bossMode} ${expertMode}`).toHaveLength(asks ? 1 : 0)
      expect(chat.runs).toEqual(asks ? [] : ["memory x"])
    }
  })

  // Catches calls that run unasked although the owner made their assistant ask while it was answering.
  test("runs under a stricter mode as soon as the owner sets it", async () => {
    const boss = { ...named("boss", { permissionMode: "bypass" }) }
    const chat = await talk([boss, named("expert")], (_name, round) => {
      if (round === 2) boss.permissionMode = "auto"
      return round <= 2 ? { calls: [save(String(round))] } : { text: "Done." }
    })
    const events = await chat.ask("Go.", { assistantId: "boss" })
    expect(of(events, "tool-approval-request")).toHaveLength(1)
    expect(chat.runs).toEqual(["memory 1"])
  })

  // Catches a task without its own limits.
  test("has its own budget", async () => {
    const chat = await talk([named("boss"), named("expert")], (name, round) => {
      if (name === "boss") return round === 1 ? { calls: [delegate("expert")] } : { text: "Done." }
      return { text: ".", calls: [{ name: "calculate", args: { text: "1" } }] }
    })
    expect((await chat.ask("Go.", { assistantId: "boss" })).at(-1)).toMatchObject({ finishReason: "stop" })
    expect(chat.runs).toHaveLength(8)
  })

  // Catches a tool that is offered and can only fail.
  test("isn't offered if there is no other assistant", async () => {
    const chat = await talk([named("boss")], () => ({ text: "." }))
    await chat.ask("Go.", { assistantId: "boss" })
    expect(chat.model.requests[0]?.tools?.map((tool) => tool.function.name)).toEqual(["calculate", "memory"])
    expect(chat.model.requests[0]?.messages[0]?.content).toMatch(/there is no other assistant/)
  })
})
