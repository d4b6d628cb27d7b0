import { expect, test } from "vitest"
import type { Passage } from "../../../shared/contract/folders.ts"
import { createReranking, maxReranked, type Reranker } from "./ranking.ts"

const passages = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const score = 0.8 * (1 - index / count)
    return { id: `p${index}`, text: `text ${index}`, score, rank: { keyword: index + 1 } } as Passage
  })
/** Prefers one text over all others. */
const liking = (liked: string): Reranker => ({
  rank: (_, texts) => Promise.resolve(texts.map((text) => (text === liked ? 0.9 : 0.1))),
})
const ids = (found: Passage[]) => found.map(({ id }) => id)

// Catches an order that ignores the model, scores that no longer descend, and ranks that aren't reported.
test("the model's favourite comes first, with the scores of the search", async () => {
  const before = passages(6)
  const { passages: after, read } = await createReranking(10_000)(liking("text 3"), "q", before)
  expect(read).toBe(6)
  expect(ids(after)).toEqual(["p3", "p0", "p1", "p2", "p4", "p5"])
  expect(after.map(({ score }) => score)).toEqual(before.map(({ score }) => score))
  expect(after[0]?.rank).toEqual({ keyword: 4, rerank: 1 })
})

// Catches a model that reads hundreds of passages, or drops those that it doesn't read.
test("only the first thirty are read; the others follow them", async () => {
  const before = passages(40)
  const { passages: after, read } = await createReranking(10_000)(liking("text 35"), "q", before)
  expect(read).toBe(maxReranked)
  expect(ids(after).slice(30)).toEqual(ids(before).slice(30))
})

// Catches searches that wait for a model without limit, and a backlog of abandoned work.
test("when the time is over, the passages read so far are reordered and the rest keeps its order", async () => {
  let asked = 0
  const slow: Reranker = {
    rank(query, texts) {
      return ++asked === 1 ? liking("text 4").rank(query, texts) : new Promise(() => undefined)
    },
  }
  const rerank = createReranking(20)
  const { passages: after, read } = await rerank(slow, "q", passages(12))
  expect(read).toBe(5)
  expect(ids(after).slice(0, 6)).toEqual(["p4", "p0", "p1", "p2", "p3", "p5"])
  for (let again = 0; again < 10; again++) expect((await rerank(slow, "q", passages(5))).read).toBe(0)
  expect(asked).toBe(5)
})
