import { expect, test } from "vitest"
import { createWaitingStore, mostWaiting } from "./waiting-store.ts"

function memory(items: Record<string, string> = {}) {
  return {
    items,
    getItem: (key: string) => items[key] ?? null,
    setItem: (key: string, value: string) => void (items[key] = value),
  }
}
const question = (id: string) => ({ id, text: id, folderIds: [] })

test("questions and what holds them outlive the window, and another window sees them", () => {
  const storage = memory()
  const store = createWaitingStore(storage)
  const other = createWaitingStore(storage)
  store.add("c", question("one"))
  store.hold("c", { kind: "model" })
  expect(createWaitingStore(storage).get("c")).toEqual(store.get("c"))
  other.onStorage("waiting-questions")
  expect(other.get("c").hold).toEqual({ kind: "model" })
})

// Would catch: a chat whose id the storage's format passes over; ids may be any text.
test.each(["__proto__", "constructor", ""])("questions of a chat called %j are kept too", (id) => {
  const storage = memory()
  createWaitingStore(storage).add(id, question("one"))
  expect(createWaitingStore(storage).get(id).questions).toEqual([question("one")])
  expect(createWaitingStore(storage).chats()).toEqual([id])
})

test("a chat without questions is forgotten, with what held it", () => {
  const storage = memory()
  const store = createWaitingStore(storage)
  store.add("c", question("one"))
  store.hold("c", { kind: "stopped" })
  store.remove("c", "one")
  expect(storage.items["waiting-questions"]).toBe("{}")
  expect(store.chats()).toEqual([])
})

// Would catch a page that doesn't start because of what another version has stored.
test("what isn't understood counts as nothing", () => {
  for (const stored of ["", "no json", "[]", '{"c":{"questions":[{"id":1}]}}'])
    expect(createWaitingStore(memory({ "waiting-questions": stored })).chats()).toEqual([])
})

test("a chat takes only so many questions", () => {
  const store = createWaitingStore(memory())
  const taken = Array.from({ length: mostWaiting + 1 }, (_, index) => store.add("c", question(String(index))))
  expect(taken.filter(Boolean)).toHaveLength(mostWaiting)
})
