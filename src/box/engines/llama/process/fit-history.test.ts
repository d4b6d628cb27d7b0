import { expect, test } from "vitest"
import type { EngineMessage } from "../../engine.ts"
import { fitHistory } from "./chat-history.ts"

/** A prompt maker with one token per character, so the text length is the token count. */
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

test("leaves a history that fits unchanged", async () => {
  const messages = turns(3)
  expect(await fitHistory(messages, 60, maker)).toMatchObject({ messages, dropped: 0 })
})

test("drops whole turns, oldest first, but keeps the system message and the newest turn", async () => {
  const messages: EngineMessage[] = [{ role: "system", content: "system" }, ...turns(10), user("newest")]
  const fitted = await fitHistory(messages, 100, maker)
  expect(fitted?.messages[0]).toEqual({ role: "system", content: "system" })
  expect(fitted?.messages[1]?.role).toBe("user")
  expect(fitted?.messages.at(-1)).toEqual(user("newest"))
  expect(fitted?.prompt.length).toBeLessThanOrEqual(100)
  expect((fitted?.dropped ?? 0) + (fitted?.messages.length ?? 0)).toBe(messages.length)
})

test("keeps the start of a growing chat the same for several turns, so that it stays evaluated", async () => {
  const firstMessages: (string | undefined)[] = []
  for (let count = 100; count < 140; count++) {
    const fitted = await fitHistory([...turns(count), user("newest")], 800, maker)
    firstMessages.push(fitted?.messages[0]?.content)
    expect(fitted?.messages.length).toBeGreaterThanOrEqual(60) // 80 would fit
  }
  expect(new Set(firstMessages).size).toBeLessThanOrEqual(6)
})

test("never separates the newest turn's function calls and their results from their question", async () => {
  const newest: EngineMessage[] = [
    user("newest"),
    { role: "assistant", content: "", toolCalls: [{ toolCallId: "1", name: "f", args: "{}" }] },
    { role: "tool", toolCallId: "1", content: "result" },
  ]
  expect((await fitHistory([...turns(10), ...newest], 20, maker))?.messages).toEqual(newest)
})

test("returns null when the newest turn and the system message alone don't fit", async () => {
  expect(await fitHistory([...turns(3), user("x".repeat(50))], 40, maker)).toBeNull()
  expect(await fitHistory([{ role: "system", content: "x".repeat(50) }, user("hi")], 40, maker)).toBeNull()
  expect(await fitHistory([], 40, maker)).toMatchObject({ messages: [] })
})

// Catches one history of thousands of short messages that blocks the engine for everyone else for minutes.
test.each([0, 1, 8, 60])(
  "renders a very long history only a few times: %d tokens a message",
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

// Catches minutes of tokenising for a text that can't fit.
test("refuses a text that is far too long without rendering it", async () => {
  const render = (): string => {
    throw new Error("It was rendered.")
  }
  const long = [user("x".repeat(1_000_000))]
  expect(await fitHistory(long, 2_000, { ...maker, render })).toBeNull()
})

// Catches a stopped request that keeps trying, and one that blocks all other work.
test("lets other requests run before every rendering, and can be stopped there", async () => {
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
