import { expect, it } from "vitest"
import { findByName } from "./names.ts"

const folders = [
  { id: "1", name: "Handbook" },
  { id: "2", name: "Letters" },
  { id: "3", name: "letters" },
  { id: "4", name: "Same" },
  { id: "5", name: "Same" },
]

it("finds an item by its ID, its name, or its name in another case", () => {
  expect(findByName("folder", "2", folders).id).toBe("2")
  expect(findByName("folder", "letters", folders).id).toBe("3")
  expect(findByName("folder", "HANDBOOK", folders).id).toBe("1")
})

// Catches a question that goes to a different folder or model than was meant.
it("never guesses: lists the nearest names, or the items that share the name", () => {
  expect(() => findByName("folder", "Handbok", folders)).toThrow(
    'There is no folder "Handbok". Did you mean "Handbook"',
  )
  expect(() => findByName("folder", "hand", folders)).toThrow('Did you mean "Handbook"')
  expect(() => findByName("folder", "Same", folders)).toThrow("Use an ID:\n  4\n  5")
  expect(() => findByName("folder", "LETTERS", folders)).toThrow("Use an ID:\n  2\n  3")
  expect(() => findByName("folder", "x", [])).toThrow("There are none.")
})

// Catches a folder name with terminal control characters that is printed as advice.
it("escapes names so that a terminal only displays them", () => {
  expect(() => findByName("folder", "x", [{ id: "1", name: "\u001b[2Jx" }])).toThrow('"␛[2Jx"')
})
