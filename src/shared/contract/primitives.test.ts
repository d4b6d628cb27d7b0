import { expect, it } from "vitest"
import { z } from "zod"
import { atMost, jsonObject, queryBoolean, record } from "./primitives.ts"
import "./messages.ts"

// Would catch: half as many emoji as the interface allows, or as API clients written in other languages count.
it("characters are counted as code points, also in the published schema", () => {
  const Name = atMost(3)
  const fits = (text: string) => Name.safeParse(text).success
  expect(["", "abc", "é漢😀", "😀😀😀"].filter(fits)).toHaveLength(4)
  expect(["abcd", "😀😀😀😀", "😀😀😀a", "x".repeat(1_000)].filter(fits)).toEqual([])
  expect(Name.safeParse("abcd").error?.issues[0]?.message).toBe("must have at most 3 characters")
  expect(z.toJSONSchema(Name)).toMatchObject({ type: "string", maxLength: 3 })
})

it("booleans in a query are true or false, in any case", () => {
  const read = (text: string | undefined) => queryBoolean.safeParse(text).data
  expect(["true", "True", "false", "False", undefined].map(read)).toEqual([
    true,
    true,
    false,
    false,
    undefined,
  ])
  for (const text of ["", "1", "yes", "null"]) {
    expect(queryBoolean.safeParse(text).error?.issues[0]?.message).toBe("must be one of: true, false")
  }
})

// Would catch: a key that Zod's record passes over, so that it is neither checked nor kept.
it("an object's key may be __proto__: it is kept where any may be, and refused by name where keys mean something", () => {
  const object: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":true}')
  expect(JSON.stringify(jsonObject().parse(object))).toBe('{"__proto__":{"a":1},"constructor":true}')
  for (const other of [[], null, "a", 1]) expect(jsonObject().safeParse(other).success).toBe(false)

  const Flags = record(z.boolean())
  expect(Flags.parse({ constructor: true })).toEqual({ constructor: true })
  expect(Flags.safeParse(JSON.parse('{"__proto__":true}')).error?.issues[0]?.path).toEqual(["__proto__"])
  expect(z.toJSONSchema(Flags, { io: "input" })).toMatchObject({
    type: "object",
    additionalProperties: { type: "boolean" },
  })
})
