import { expect, it } from "vitest"
import { z } from "zod"
import { atMost, jsonObject, queryBoolean, record } from "./primitives.ts"
import "./messages.ts"

// Catches a limit that allows only half as many emoji as documented, or as API clients in other languages count.
it("counts characters as code points, also in the published schema", () => {
  const Name = atMost(3)
  const fits = (text: string) => Name.safeParse(text).success
  expect(["", "abc", "é漢😀", "😀😀😀"].filter(fits)).toHaveLength(4)
  expect(["abcd", "😀😀😀😀", "😀😀😀a", "x".repeat(1_000)].filter(fits)).toEqual([])
  expect(Name.safeParse("abcd").error?.issues[0]?.message).toBe("must have at most 3 characters")
  expect(z.toJSONSchema(Name)).toMatchObject({ type: "string", maxLength: 3 })
})

it("reads query booleans as true or false, in any case", () => {
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

// Catches a key that Zod's record skips, so that it is neither checked nor kept.
it("keeps an object's key __proto__ where any key is allowed, and refuses it by name where keys have a meaning", () => {
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
