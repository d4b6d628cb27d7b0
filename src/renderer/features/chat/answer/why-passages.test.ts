import { expect, test } from "vitest"
import type { MessagePart, Source } from "../../../../shared/contract/chat.ts"
import type { RetrievalCandidate } from "../../../../shared/contract/conversations.ts"
import { whyPassages } from "./why-passages.ts"

const source = (citation: number): Source => ({
  citation,
  url: "",
  id: `p${citation}`,
  fileId: "f",
  fileName: "lease.pdf",
  vectorId: "v",
  relativePath: "v/lease.pdf",
  text: "",
  location: {},
  score: 1,
  rank: {},
})
const part = (citation: number): MessagePart => ({ type: "source", ...source(citation) })
const found: RetrievalCandidate[] = [
  { ...source(1), reason: "used" },
  { ...source(2), reason: "used" },
  { ...source(9), citation: null, reason: "no_room" },
]

// Would catch: a passage that was given to the model and is told nowhere, as those that its tools found, or told twice.
test("each passage is told once: cited, only given, or left out", () => {
  const parts = [part(1), part(2), part(3), part(4), { type: "text" as const, text: "So [2], and [4]." }]
  const { cited, uncited, leftOut } = whyPassages(parts, found)
  const numbers = [cited, uncited, leftOut].map((list) => list.map(({ id }) => id))
  expect(numbers).toEqual([["p2", "p4"], ["p1", "p3"], ["p9"]])
})
