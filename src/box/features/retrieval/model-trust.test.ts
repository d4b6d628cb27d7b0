import { describe, expect, test } from "vitest"
import { createModelTrust } from "./model-trust.ts"

const semantic = Array.from({ length: 50 }, (_, rank) => `p${rank}`)

function afterQueries(count: number, best: (query: number) => string): number {
  const trust = createModelTrust()
  for (let query = 0; query < count; query++) trust.observe("en", [best(query)], semantic)
  return trust.weight("en")
}

describe("trust in an embedding model", () => {
  test("nothing is trusted before it is proven", () => expect(createModelTrust().weight("en")).toBe(0))

  test("a model that finds what the words find counts after a few queries", () => {
    expect(afterQueries(3, () => "p0")).toBe(0)
    expect(afterQueries(15, () => "p0")).toBeGreaterThan(0.2)
  })

  test("a model that finds it by chance never counts", () => {
    expect(afterQueries(500, (query) => `p${(query * 7) % 200}`)).toBe(0)
  })

  test("what is proven in one language counts in no other", () => {
    const trust = createModelTrust()
    for (let query = 0; query < 50; query++) trust.observe("en", ["p0"], semantic)
    expect(trust.weight("en")).toBeGreaterThan(0)
    expect(trust.weight("th")).toBe(0)
  })

  test("trust is lost again when the model stops agreeing", () => {
    const trust = createModelTrust()
    for (let query = 0; query < 300; query++) trust.observe("en", ["p0"], semantic)
    for (let query = 0; query < 300; query++) trust.observe("en", ["elsewhere"], semantic)
    expect(trust.weight("en")).toBe(0)
  })
})
