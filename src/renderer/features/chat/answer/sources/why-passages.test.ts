import { expect, test } from "vitest"
import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import type { RetrievalCandidate } from "../../../../../shared/contract/conversations.ts"
import { testSource } from "../../testing/source.ts"
import { whyPassages } from "./why-passages.ts"

const part = (citation: number): MessagePart => ({ type: "source", ...testSource(citation) })
const found: RetrievalCandidate[] = [
  { ...testSource(1), reason: "used" },
  { ...testSource(2), reason: "used" },
  { ...testSource(9), citation: null, reason: "no_room" },
]

// Would catch: a passage that was given to the model and is told nowhere, as those that its tools found, or told twice.
test("each passage is told once: cited, only given, or left out", () => {
  const parts = [part(1), part(2), part(3), part(4), { type: "text" as const, text: "So [2], and [4]." }]
  const { cited, uncited, leftOut } = whyPassages(parts, found)
  const numbers = [cited, uncited, leftOut].map((list) => list.map(({ id }) => id))
  expect(numbers).toEqual([["p2", "p4"], ["p1", "p3"], ["p9"]])
})
