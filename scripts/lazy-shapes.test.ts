import { expect, test } from "vitest"
import { z } from "zod"
import { makeShapesLazy } from "./lazy-shapes.ts"

const source = `
const Inner = z.object({ deep: made("deep") })
const Outer = Inner.extend({
  a: made("a").optional(), // a comment
  "b":
    made("b"),
  inner: Inner,
  list: z.array(z.object({ c: made("c") })),
})
return Outer
`

// Catches fields that are created during the box's start, are created twice, or change afterwards.
test("fields are created when an object first checks something, and only once", async () => {
  const made: string[] = []
  const maker = (name: string) => {
    made.push(name)
    return z.string()
  }
  const lines = makeShapesLazy("module.js", `export function build(z, made) {${source}}`)
  const module = (await import(`data:text/javascript,${encodeURIComponent(lines)}`)) as {
    build(zod: typeof z, made: (name: string) => z.ZodString): z.ZodObject
  }
  const Outer = module.build(z, maker)
  expect(made).toEqual([])
  const value = { deep: "d", b: "b", inner: { deep: "e" }, list: [{ c: "c" }] }
  expect(Outer.parse({ ...value, more: 1 })).toEqual(value)
  expect(Outer.safeParse({ ...value, b: 1 }).success).toBe(false)
  Outer.partial().parse({})
  expect(made.toSorted()).toEqual(["a", "b", "c", "deep"])
  expect(lines.split("\n")).toHaveLength(source.split("\n").length)
})

// Catches a getter in which a name means something else.
test("expressions that depend on their location aren't moved", () => {
  const code = "const Shape = z.object({ a: z.custom(this.check), b: Other, ...more, [name]: z.string() })"
  expect(makeShapesLazy("module.ts", code)).toBe(code)
})
