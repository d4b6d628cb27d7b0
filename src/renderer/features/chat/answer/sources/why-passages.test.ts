import { expect, test } from "vitest"
import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import type { RetrievalCandidate } from "../../../../../shared/contract/conversations.ts"
import { testSource } from "../../testing/source.ts"
import { whyPassages } from "./WhyPanel.tsx"

const part = (citation: number): MessagePart => ({ type: "source", ...testSource(citation) })
const found: RetrievalCandidate[] = [
  { ...testSource(1), reason: "used" },
  { ...testSource(2), reason: "used" },
  { ...testSource(9), citation: null, reason: "no_room" },
]

// Catches a passage that the model received but that isn't listed, such as one found by its tools, or that is listed twice.
test("lists each passage once: cited, only provided, or left out", () => {
  const parts = [part(1), part(2), part(3), part(4), { type: "text" as const, text: "So [2], and [4]." }]
  const { cited, uncited, leftOut } = whyPassages(parts, found)
  const numbers = [cited, uncited, leftOut].map((list) => list.map(({ id }) => id))
  expect(numbers).toEqual([["p2", "p4"], ["p1", "p3"], ["p9"]])
})
