import { expect, test } from "vitest"
import type { EngineMessage } from "../engine.ts"
import { fitHistory } from "./fit-history.ts"

/** A prompt of one token for each character, as the length of a text. */
const meter = {
  render: (messages: EngineMessage[]) => messages.map(({ content }) => content).join(""),
  atLeast: ({ content }: EngineMessage) => content.length,
}
const user = (content: string): EngineMessage => ({ role: "user", content })
const assistant = (content: string): EngineMessage => ({ role: "assistant", content })
const turns = (count: number): EngineMessage[] =>
  Array.from({ length: count }, (_, index) => [
    user(`q${index}`.padEnd(10, ".")),
    assistant("a".repeat(10)),
  ]).flat()

test("a history that fits is left alone", () => {
  const messages = turns(3)
  expect(fitHistory(messages, 60, meter)).toMatchObject({ messages, dropped: 0 })
})

test("whole turns go, oldest first; the system message and the newest stay", () => {
  const messages: EngineMessage[] = [{ role: "system", content: "system" }, ...turns(10), user("newest")]
  const fitted = fitHistory(messages, 100, meter)
  expect(fitted?.messages[0]).toEqual({ role: "system", content: "system" })
  expect(fitted?.messages[1]?.role).toBe("user")
  expect(fitted?.messages.at(-1)).toEqual(user("newest"))
  expect(fitted?.prompt.length).toBeLessThanOrEqual(100)
  expect((fitted?.dropped ?? 0) + (fitted?.messages.length ?? 0)).toBe(messages.length)
})

test("a growing conversation keeps its beginning for several turns, so that it stays evaluated", () => {
  const beginnings = Array.from({ length: 12 }, (_, more) => {
    const fitted = fitHistory([...turns(20 + more), user("newest")], 200, meter)
    return fitted?.messages[0]?.content
  })
  expect(new Set(beginnings).size).toBeLessThanOrEqual(7)
})

test("function calls of the newest turn and their results are never torn from their question", () => {
  const newest: EngineMessage[] = [
    user("newest"),
    { role: "assistant", content: "", toolCalls: [{ toolCallId: "1", name: "f", args: "{}" }] },
    { role: "tool", toolCallId: "1", content: "result" },
  ]
  expect(fitHistory([...turns(10), ...newest], 20, meter)?.messages).toEqual(newest)
})

test("nothing fits when the newest turn and the system message alone don't", () => {
  expect(fitHistory([...turns(3), user("x".repeat(50))], 40, meter)).toBeNull()
  expect(fitHistory([{ role: "system", content: "x".repeat(50) }, user("hi")], 40, meter)).toBeNull()
  expect(fitHistory([], 40, meter)).toMatchObject({ messages: [] })
})

// Would catch: one history of thousands of short messages that keeps the engine from everybody else for minutes.
test("a very long history is rendered a few times only, whatever the template adds", () => {
  for (const overhead of [0, 1, 8, 60]) {
    let renders = 0
    const wordy = {
      render: (messages: EngineMessage[]) => {
        renders++
        return messages.map(({ content }) => content + "#".repeat(overhead)).join("")
      },
      atLeast: ({ content }: EngineMessage) => content.length,
    }
    const fitted = fitHistory([...turns(5_000), user("newest")], 2_000, wordy)
    expect(fitted?.messages.at(-1)).toEqual(user("newest"))
    expect(fitted?.messages.length).toBeGreaterThan(1)
    expect(renders).toBeLessThanOrEqual(6)
  }
})
