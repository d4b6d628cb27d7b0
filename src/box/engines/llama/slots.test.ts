import { expect, test } from "vitest"
import { chooseSlot, type Slot } from "./slots.ts"

const slot = (conversationKey: string | null, tokens: number[], lastUsed: number, busy = false): Slot => ({
  conversationKey,
  tokens,
  lastUsed,
  busy,
})
const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

test("a conversation returns to its own slot, even after it was edited", () => {
  const own = slot("a", [1, 2, 3], 1)
  expect(chooseSlot([slot("b", [9, 8, 7, 6], 2), own, slot(null, [], 0)], [9, 8, 7, 6, 5], "a")).toBe(own)
})

test("a new conversation takes the slot unused for longest, though it begins like another one", () => {
  const system = range(100)
  const other = slot("a", [...system, ...range(900)], 3)
  const oldest = slot(
    "b",
    range(50).map((token) => token + 500),
    1,
  )
  expect(chooseSlot([other, oldest, slot("c", [7], 2)], [...system, 5], "new")).toBe(oldest)
})

test("a conversation without a key is known by what it said", () => {
  const same = slot(null, range(80), 1)
  expect(chooseSlot([slot(null, [], 0), same], [...range(80), 1, 2, 3], null)).toBe(same)
  expect(chooseSlot([slot(null, [], 0), slot("a", range(80), 1)], range(20), null)?.lastUsed).toBe(0)
})

test("busy slots are not taken", () => {
  const free = slot(null, [], 0)
  expect(chooseSlot([slot("a", [1, 2], 1, true), free], [1, 2, 3], "a")).toBe(free)
  expect(chooseSlot([slot("a", [1, 2], 1, true)], [1, 2, 3], "a")).toBeNull()
})
