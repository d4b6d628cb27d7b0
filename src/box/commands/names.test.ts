import { expect, it } from "vitest"
import { named } from "./names.ts"

const folders = [
  { id: "1", name: "Handbook" },
  { id: "2", name: "Letters" },
  { id: "3", name: "letters" },
  { id: "4", name: "Same" },
  { id: "5", name: "Same" },
]

it("finds by id, by name, and by name in any case", () => {
  expect(named("folder", "2", folders).id).toBe("2")
  expect(named("folder", "letters", folders).id).toBe("3")
  expect(named("folder", "HANDBOOK", folders).id).toBe("1")
})

// Would catch: a question that goes to another folder, or model, than was meant.
it("never guesses: it names the nearest, or those that have the name", () => {
  expect(() => named("folder", "Handbok", folders)).toThrow(
    'There is no folder "Handbok". Did you mean "Handbook"',
  )
  expect(() => named("folder", "hand", folders)).toThrow('Did you mean "Handbook"')
  expect(() => named("folder", "Same", folders)).toThrow("by its id:\n  4\n  5")
  expect(() => named("folder", "LETTERS", folders)).toThrow("by its id:\n  2\n  3")
  expect(() => named("folder", "x", [])).toThrow("There is none at all.")
})

// Would catch: a folder's name that a terminal obeys, shown as advice.
it("says names so that a terminal only shows them", () => {
  expect(() => named("folder", "x", [{ id: "1", name: "\u001b[2Jx" }])).toThrow('"␛[2Jx"')
})
