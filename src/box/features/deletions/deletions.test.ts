import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { openDatabase } from "../../core/database/database.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createDeletions } from "./service.ts"

// Would catch: the rest of what is being brought back, gone for good because the time of its token ended meanwhile.
test("what is asked back in time comes back whole, however long that takes", async () => {
  const directory = await mkdtemp(join(tmpdir(), "deletions-"))
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    await using database = openDatabase(join(directory, "casella.sqlite"))
    const { db } = database
    await using deletions = createDeletions({ db, logger: silentLogger, undoMs: 60_000 })
    const user = { id: "alice", email: "alice@box.test", name: "Alice", createdAt: "" }
    await db.insertInto("users").values(user).execute()
    const back: string[] = []
    const ended: string[] = []
    deletions.handle("chat", {
      async restore({ itemId }, also) {
        if (itemId === "later") throw new Error("not now")
        await db.transaction().execute(also)
        back.push(itemId)
        vi.setSystemTime(Date.now() + 61_000)
        await deletions.start()
      },
      end: ({ itemId }) => Promise.resolve(void ended.push(itemId)),
    })
    const note = (...ids: string[]) =>
      db.transaction().execute((transaction) => {
        const some = ids.map((itemId) => ({ ownerId: "alice", kind: "chat" as const, itemId, kept: "{}" }))
        return deletions.note(transaction, ...some)
      })
    await note("other")
    const { token } = await note("later", "c1", "c2", "c3")
    await deletions.undo({ userId: "alice", scopes: null }, token)
    expect(back).toEqual(["c1", "c2", "c3"])
    await deletions.start()
    expect(ended).toEqual(["other", "later"])
  } finally {
    vi.useRealTimers()
    await rm(directory, { recursive: true })
  }
})
