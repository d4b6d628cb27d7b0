import { expect, test } from "vitest"
import { createRuns } from "./runs.ts"

// Catches a team in which only some people can ask, a user who takes everyone's slots, and ended answers that keep their slots.
test("writes thousands of answers at once, with a limit per user", () => {
  const runs = createRuns()
  const people = Array.from({ length: 125 }, (_, index) => `person-${index}`)
  const started = people.flatMap((person) =>
    Array.from({ length: 32 }, (_, index) => runs.start(person, `chat-${index}`, `answer-${index}`)),
  )
  expect(runs.activeChats("person-7")).toHaveLength(32)
  const refusal = (person: string) => {
    try {
      return runs.start(person, "one-more", "answer")
    } catch (error) {
      return error
    }
  }
  const tooMany = (count: number) => ({
    code: "rate_limited",
    sentence: { field: { sentence: { values: { count } } } },
  })
  expect(refusal("person-7")).toMatchObject(tooMany(32))
  expect(refusal("somebody")).toMatchObject(tooMany(4_000))
  started[0]?.end("completed")
  expect(refusal("somebody")).toMatchObject({ status: "active", ownerId: "somebody" })
})
