import { expect, test } from "vitest"
import { readingOf, withReading } from "./chat-readings.ts"

// Would catch a choice that leaks into other chats, also into one that is called like what every object has.
test("each chat has its own choice", () => {
  const all = withReading(withReading([], "a", "whole"), "b", "passages")
  expect(["a", "b", "c", "__proto__"].map((id) => readingOf(all, id))).toEqual([
    "whole",
    "passages",
    "auto",
    "auto",
  ])
  expect(readingOf(withReading(all, "a", "auto"), "a")).toBe("auto")
})

// Would catch a store that grows with every chat, and one that forgets the newest.
test("the latest choices are kept", () => {
  const ids = Array.from({ length: 300 }, (_, index) => `chat ${index}`)
  const all = ids.reduce<ReturnType<typeof withReading>>((kept, id) => withReading(kept, id, "whole"), [])
  expect(all).toHaveLength(200)
  expect(readingOf(all, "chat 299")).toBe("whole")
  expect(readingOf(all, "chat 0")).toBe("auto")
})
