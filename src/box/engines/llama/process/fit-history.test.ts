import { expect, test } from "vitest"
import type { EngineMessage } from "../../engine.ts"
import { fitHistory } from "./fit-history.ts"

/** A prompt of one token for each character, as the length of a text. */
const maker = {
  render: (messages: EngineMessage[]) => messages.map(({ content }) => content).join(""),
  pause: () => Promise.resolve(),
}
const user = (content: string): EngineMessage => ({ role: "user", content })
const assistant = (content: string): EngineMessage => ({ role: "assistant", content })
const turns = (count: number): EngineMessage[] =>
  Array.from({ length: count }, (_, index) => [
    user(`q${index}`.padEnd(10, ".")),
    assistant("a".repeat(10)),
  ]).flat()

test("a history that fits is left alone", async () => {
  const messages = turns(3)
  expect(await fitHistory(messages, 60, maker)).toMatchObject({ messages, dropped: 0 })
})

test("whole turns go, oldest first; the system message and the newest stay", async () => {
  const messages: EngineMessage[] = [{ role: "system", content: "system" }, ...turns(10), user("newest")]
  const fitted = await fitHistory(messages, 100, maker)
  expect(fitted?.messages[0]).toEqual({ role: "system", content: "system" })
  expect(fitted?.messages[1]?.role).toBe("user")
  expect(fitted?.messages.at(-1)).toEqual(user("newest"))
  expect(fitted?.prompt.length).toBeLessThanOrEqual(100)
  expect((fitted?.dropped ?? 0) + (fitted?.messages.length ?? 0)).toBe(messages.length)
})

test("a growing conversation keeps its beginning for several turns, so that it stays evaluated", async () => {
  const beginnings: (string | undefined)[] = []
  for (let count = 100; count < 140; count++) {
    const fitted = await fitHistory([...turns(count), user("newest")], 800, maker)
    beginnings.push(fitted?.messages[0]?.content)
    expect(fitted?.messages.length).toBeGreaterThanOrEqual(60) // of 80 that fit
  }
  expect(new Set(beginnings).size).toBeLessThanOrEqual(6)
})

test("function calls of the newest turn and their results are never torn from their question", async () => {
  const newest: EngineMessage[] = [
    user("newest"),
    { role: "assistant", content: "", toolCalls: [{ toolCallId: "1", name: "f", args: "{}" }] },
    { role: "tool", toolCallId: "1", content: "result" },
  ]
  expect((await fitHistory([...turns(10), ...newest], 20, maker))?.messages).toEqual(newest)
})

test("nothing fits when the newest turn and the system message alone don't", async () => {
  expect(await fitHistory([...turns(3), user("x".repeat(50))], 40, maker)).toBeNull()
  expect(await fitHistory([{ role: "system", content: "x".repeat(50) }, user("hi")], 40, maker)).toBeNull()
  expect(await fitHistory([], 40, maker)).toMatchObject({ messages: [] })
})

// Would catch: one history of thousands of short messages that keeps the engine from everybody else for minutes.
test.each([0, 1, 8, 60])(
  "a very long history is rendered a few times only: %d tokens a message",
  async (marks) => {
    const room = 2_000
    const sizes: number[] = []
    const counted = {
      ...maker,
      render(messages: EngineMessage[]) {
        sizes.push(messages.length)
        return messages.map(({ content }) => content + "#".repeat(marks)).join("")
      },
    }
    const fitted = await fitHistory([...turns(5_000), user("newest")], room, counted)
    expect(fitted?.messages.at(-1)).toEqual(user("newest"))
    expect(fitted?.prompt.length).toBeGreaterThan(room * 0.7)
    expect(sizes.length).toBeLessThanOrEqual(12)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(room / 2)
  },
)

// Would catch: minutes of tokenising for a text that can't fit anyway.
test("what is far too long is refused without rendering it", async () => {
  const render = (): string => {
    throw new Error("It was rendered.")
  }
  const long = [user("x".repeat(1_000_000))]
  expect(await fitHistory(long, 2_000, { ...maker, render })).toBeNull()
})

// Would catch: a stopped request that goes on trying, and one that lets nobody else work meanwhile.
test("others get their turn before every rendering, and whoever stops it is heard there", async () => {
  const log: string[] = []
  const stopped = fitHistory([...turns(50), user("newest")], 100, {
    render(messages) {
      log.push("render")
      return maker.render(messages)
    },
    async pause() {
      log.push("pause")
      if (log.length > 5) throw new Error("stopped")
    },
  })
  await expect(stopped).rejects.toThrow("stopped")
  expect(log).toEqual(["pause", "render", "pause", "render", "pause", "render", "pause"])
})
