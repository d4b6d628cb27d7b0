import { expect, test } from "vitest"
import { getReading, updateReading } from "./remembered-choices.ts"

// Catches a choice that leaks into other chats, even a chat whose ID is the name of a built-in object property.
test("keeps a separate choice for each chat", () => {
  const all = updateReading(updateReading([], "a", "whole"), "b", "passages")
  expect(["a", "b", "c", "__proto__"].map((id) => getReading(all, id))).toEqual([
    "whole",
    "passages",
    "auto",
    "auto",
  ])
  expect(getReading(updateReading(all, "a", "auto"), "a")).toBe("auto")
})

// Catches storage that grows with every chat, and storage that drops the newest choice.
test("keeps the latest choices", () => {
  const ids = Array.from({ length: 300 }, (_, index) => `chat ${index}`)
  const all = ids.reduce<ReturnType<typeof updateReading>>((kept, id) => updateReading(kept, id, "whole"), [])
  expect(all).toHaveLength(200)
  expect(getReading(all, "chat 299")).toBe("whole")
  expect(getReading(all, "chat 0")).toBe("auto")
})
