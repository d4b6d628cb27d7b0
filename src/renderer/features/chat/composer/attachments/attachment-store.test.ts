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

// Would catch: a chat that takes no file any more, because its folder was cleared while it hadn't begun.
test("a file goes into the folder that the chat has now", async () => {
  const { store, uploaded } = start(["first", "second"])
  store.add("c", [new File([""], "a.txt")])
  await store.settled("c")
  store.add("c", [new File([""], "b.txt")])
  await store.settled("c")
  expect(uploaded).toEqual(["first/a.txt", "second/b.txt"])
  expect(store.folder("c")).toBe("second")
})

// Would catch: a browser's storage that fills with folders of chats from years ago.
test("the folders of a thousand chats are remembered, the latest", () => {
  const { store, items } = start([])
  for (let index = 0; index < 1_002; index++) store.adopt(`chat ${index}`, `folder ${index}`)
  store.adopt("chat 2", "folder 2")
  store.adopt("newest", "folder")
  const kept = Object.keys(JSON.parse(items["chat-folders"] ?? "{}") as object)
  expect(kept).toHaveLength(1_000)
  expect([kept.at(0), kept.at(-2), kept.at(-1)]).toEqual(["chat 4", "chat 2", "newest"])
})
