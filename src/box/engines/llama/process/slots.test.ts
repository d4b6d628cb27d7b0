import { expect, test } from "vitest"
import { chooseSlot, chooseSpareSlot, type Slot } from "./chat-runtime.ts"

const slot = (conversationKey: string | null, tokens: number[], lastUsed: number, busy = false): Slot => ({
  conversationKey,
  tokens,
  lastUsed,
  busy,
})
const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

test("a chat returns to its own slot, even after it was edited", () => {
  const own = slot("a", [1, 2, 3], 1)
  expect(chooseSlot([slot("b", [9, 8, 7, 6], 2), own, slot(null, [], 0)], [9, 8, 7, 6, 5], "a")).toBe(own)
})

test("a new chat takes the slot unused for longest, even if its prompt starts like another chat's", () => {
  const system = range(100)
  const other = slot("a", [...system, ...range(900)], 3)
  const oldest = slot(
    "b",
    range(50).map((token) => token + 500),
    1,
  )
  expect(chooseSlot([other, oldest, slot("c", [7], 2)], [...system, 5], "new")).toBe(oldest)
})

test("a chat without a key is recognised by its content", () => {
  const same = slot(null, range(80), 1)
  expect(chooseSlot([slot(null, [], 0), same], [...range(80), 1, 2, 3], null)).toBe(same)
  expect(chooseSlot([slot(null, [], 0), slot("a", range(80), 1)], range(20), null)?.lastUsed).toBe(0)
})

test("busy slots are not taken", () => {
  const free = slot(null, [], 0)
  expect(chooseSlot([slot("a", [1, 2], 1, true), free], [1, 2, 3], "a")).toBe(free)
  expect(chooseSlot([slot("a", [1, 2], 1, true)], [1, 2, 3], "a")).toBeNull()
})

test("a prefix is read ahead into a slot that already holds part of it, otherwise into the oldest slot, never into the newest chat's", () => {
  const started = slot(null, range(5), 2)
  const oldest = slot("a", [9, 9], 1)
  expect(chooseSpareSlot([oldest, started, slot("b", [7], 3)], range(10))).toBe(started)
  expect(chooseSpareSlot([slot("b", [7], 3), oldest], range(10))).toBe(oldest)
  expect(chooseSpareSlot([slot("b", [7], 3), slot("a", [9], 1, true)], range(10))).toBeNull()
  expect(chooseSpareSlot([slot(null, [], 0)], range(10))).not.toBeNull()
})

test("a prefix that a slot already holds isn't read again, and a new chat takes that slot", () => {
  const held = slot(null, range(10), 1)
  const chat = slot("a", range(10), 2)
  expect(chooseSpareSlot([chat, held], range(10))).toBeNull()
  expect(chooseSlot([chat, held], [...range(10), 5], "new")).toBe(held)
})
