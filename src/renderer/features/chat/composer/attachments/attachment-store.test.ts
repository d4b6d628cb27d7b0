import { expect, test } from "vitest"
import { createAttachmentStore } from "./attachment-store.ts"

function start(folders: string[], items: Record<string, string> = {}) {
  const uploaded: string[] = []
  const store = createAttachmentStore({
    storage: {
      getItem: (key) => items[key] ?? null,
      setItem: (key, value) => void (items[key] = value),
    },
    openFolder: () => Promise.resolve(folders.shift() ?? "none"),
    upload: (folderId, file) => Promise.resolve(void uploaded.push(`${folderId}/${file.name}`)),
    describe: String,
  })
  return { store, uploaded, items }
}

// Catches a chat that accepts no more files because its folder was removed before the chat started.
test("uploads a file to the chat's current folder", async () => {
  const { store, uploaded } = start(["first", "second"])
  store.add("c", [new File([""], "a.txt")])
  await store.settled("c")
  store.add("c", [new File([""], "b.txt")])
  await store.settled("c")
  expect(uploaded).toEqual(["first/a.txt", "second/b.txt"])
  expect(store.folder("c")).toBe("second")
})

// Catches browser storage that fills up with the folders of old chats.
test("remembers the folders of the latest thousand chats", () => {
  const { store, items } = start([])
  for (let index = 0; index < 1_002; index++) store.adopt(`chat ${index}`, `folder ${index}`)
  store.adopt("chat 2", "folder 2")
  store.adopt("newest", "folder")
  const kept = Object.keys(JSON.parse(items["chat-folders"] ?? "{}") as object)
  expect(kept).toHaveLength(1_000)
  expect([kept.at(0), kept.at(-2), kept.at(-1)]).toEqual(["chat 4", "chat 2", "newest"])
})
