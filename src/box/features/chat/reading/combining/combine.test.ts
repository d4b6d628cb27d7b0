import { expect, test } from "vitest"
import { openOutbound } from "../../../../core/outbound/testing/open-outbound.ts"
import { createRemoteEngine } from "../../../../engines/remote/remote-engine.ts"
import { startModelServer } from "../../../../testing/model-servers/model-server.ts"
import { createSources } from "./cited-notes.ts"
import { combine } from "./combine.ts"

// Catches a stop that waits until each of a hundred thousand notes is counted.
test("stopping a reading also stops counting its notes", async () => {
  await using server = await startModelServer(() => ({ text: "Never." }))
  const outbound = openOutbound()
  await using real = createRemoteEngine({ server: { outbound, baseUrl: server.baseUrl } })
  const stopping = new AbortController()
  let counted = 0
  const engine = {
    ...real,
    countTokens(text: string) {
      if (++counted === 10) stopping.abort()
      return real.countTokens(text)
    },
  }
  const deps = {
    engine,
    conversationKey: "c/reading",
    room: { notes: 100, part: 100, combined: 100 },
    mayBeSent: () => Promise.resolve(true),
    question: "What is there?",
    instructions: "",
    list: false,
    sources: createSources({ getPassage: () => Promise.resolve(null) }, "http://127.0.0.1"),
  }
  const notes = Array.from({ length: 500 }, (_, index) => ({ text: `There is boat ${index}.`, at: [] }))
  const combining = combine(deps, notes, stopping.signal)
  let step = await combining.next()
  while (step.done !== true) step = await combining.next()
  expect(step.value.finishReason).toBe("aborted")
  expect(counted).toBe(10)
  expect(server.requests).toEqual([])
})
