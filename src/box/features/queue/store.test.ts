import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { QueueDraft } from "../../../shared/contract/queue.ts"
import { openPeopledDatabase } from "../../testing/served-features.ts"
import { createHiddenQuestions } from "./service.ts"
import { createQueueStore } from "./store.ts"

// Catches a question that is asked although, after it was read, its chat was deleted and restored or its answers were stopped.
test("a question that was put on hold after it was read isn't taken", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-queue-"))
  try {
    await using database = await openPeopledDatabase(directory, ["mia"])
    const store = createQueueStore(database.db)
    const hidden = createHiddenQuestions(database.db)
    const caller = {
      userId: "mia",
      credentialId: "k",
      via: "key",
      origin: "API",
      scopes: null,
      isOwner: false,
    } as const
    const draft = { ...QueueDraft.parse({ content: "two" }), boxAddress: "http://127.0.0.1" }
    const asked = await store.add(caller, "c", draft)
    const take = () => database.db.transaction().execute((transaction) => store.take(asked, transaction))
    await database.db.transaction().execute((transaction) => hidden.hide("mia", "c", transaction))
    expect(await take()).toBe(false)
    await database.db.transaction().execute((transaction) => hidden.show("mia", "c", transaction))
    expect(await take()).toBe(false)
    await store.letGo("mia", "c")
    expect(await take()).toBe(true)
  } finally {
    await rm(directory, { recursive: true })
  }
})
