import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { QueueDraft } from "../../../shared/contract/queue.ts"
import { openPeopledDatabase } from "../../testing/served-features.ts"
import { createHiddenQuestions } from "./service.ts"
import { createQueueStore, stopQueues } from "./store.ts"

const caller = {
  userId: "mia",
  credentialId: "k",
  via: "key",
  origin: "API",
  scopes: null,
  isOwner: false,
} as const
const draft = { ...QueueDraft.parse({ content: "two" }), boxAddress: "http://127.0.0.1" }

// Catches a question that is asked although, after it was read, its chat was deleted and restored or its answers were stopped.
test("a question that was put on hold after it was read isn't taken", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-queue-"))
  try {
    await using database = await openPeopledDatabase(directory, ["mia"])
    const store = createQueueStore(database.db)
    const hidden = createHiddenQuestions(database.db)
    const asked = await store.add(caller, "c", draft)
    const take = () => database.db.transaction().execute((transaction) => store.take(asked, transaction))
    await database.db.transaction().execute((transaction) => hidden.hide("mia", "c", transaction))
    expect(await take()).toBe(false)
    await database.db.transaction().execute((transaction) => hidden.show("mia", "c", transaction))
    expect(await take()).toBe(false)
    await store.resume("mia", "c")
    expect(await take()).toBe(true)
  } finally {
    await rm(directory, { recursive: true })
  }
})

// Catches a question that an unconfirmed key resumes with the full rights that the backup's author stored with it.
test("questions of a restored backup have the rights of an unconfirmed key until a user rewrites them", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-queue-"))
  try {
    await using database = await openPeopledDatabase(directory, ["mia"])
    const store = createQueueStore(database.db)
    const { id } = await store.add(caller, "c", draft)
    await store.add({ ...caller, scopes: ["assistants"] }, "c", draft)
    await stopQueues(database.db)
    await store.resume("mia", "c")
    const rights = async () =>
      (await store.list("mia", "c")).map(({ caller: { scopes, isUnconfirmed } }) => [scopes, isUnconfirmed])
    const limited = [["assistants"], true]
    expect(await rights()).toEqual([[null, true], limited])
    await store.change(caller, "c", id, { modelId: null })
    expect(await rights()).toEqual([[null, true], limited])
    await store.change(caller, "c", id, { content: "three" })
    expect(await rights()).toEqual([[null, false], limited])
  } finally {
    await rm(directory, { recursive: true })
  }
})
