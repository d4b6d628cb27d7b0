import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { AutomationDraft, type Trigger } from "../../../shared/contract/automations.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { createEventBus } from "../../core/event-bus.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { openPeopledDatabase } from "../../testing/served-features.ts"
import type { Caller } from "../../http/caller.ts"
import { createRunner, type RunChats } from "./runner.ts"
import { createRunStore, type RunStore } from "./run-store.ts"
import { createAutomations, type Automations, type AutomationsDeps } from "./service.ts"
import { callerOf } from "./stored-automation.ts"
import { createAutomationStore } from "./store.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

const mia: Caller = {
  userId: "mia",
  credentialId: "session",
  via: "session",
  origin: "APP",
  scopes: null,
  isOwner: false,
}

let stack: AsyncDisposableStack
let deps: AutomationsDeps
let automations: Automations
let runs: RunStore
/** The clock of the tests. */
let now: number
let ask: RunChats["ask"]
/** Conversations that are being answered. */
let answering: Set<string>
/** Keys that were revoked. */
let revoked: Set<string>
/** Automations of which it was told that they were switched off. */
let toldOff: string[]

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), "casella-turns-"))
  stack.defer(() => rm(directory, { recursive: true }))
  const { db } = stack.use(await openPeopledDatabase(directory, ["mia"]))
  now = Date.parse("2026-11-27T08:00:30Z")
  answering = new Set()
  toldOff = []
  revoked = new Set()
  ask = (_caller, { id }, { also }) =>
    db.transaction().execute(async (transaction) => {
      await also(transaction)
      answering.add(id)
    })
  runs = createRunStore(db)
  deps = {
    db,
    bus: createEventBus(),
    logger: silentLogger,
    stopping: new AbortController().signal,
    now: () => now,
    files: { take: async () => 0, await: async () => undefined },
    filedIn: async () => null,
    noteMatched: async () => undefined,
    noteRead: async () => undefined,
    chats: {
      ask: async (...asked) => ask(...asked),
      stop: async (_ownerId, chatId) => answering.delete(chatId),
      deny: async () => undefined,
      status: async (_ownerId, chatId) => ({
        status: answering.has(chatId) ? "active" : "completed",
        pendingApprovals: 0,
      }),
    },
    file: async () => null,
    standing: { search: async () => [], tell: async () => undefined },
    isRevoked: async (keyId) => revoked.has(keyId),
    whileValid: (keyId, onEnd) => {
      if (revoked.has(keyId)) onEnd()
      return { [Symbol.dispose]: () => undefined }
    },
    disabledIds: async () => [],
    boxAddress: () => "http://127.0.0.1",
    changed: () => undefined,
    said: async () => "",
    tell: async () => undefined,
    tellOff: async (_ownerId, { id }) => void toldOff.push(id),
    unusableFolders: async () => [],
    assistant: async () => ({ vectorIds: [], usesAccounts: false }),
    isModel: async () => true,
  }
  automations = stack.use(createAutomations(deps))
})
afterEach(() => stack.disposeAsync())

async function create(trigger: Trigger, more: Partial<AutomationDraft> = {}): Promise<string> {
  const draft = AutomationDraft.parse({ name: "Clerk", prompt: "Look.", trigger, ...more })
  return (await automations.create(mia, draft)).automation.id
}
const runsOf = async (id: string) => (await automations.listRuns("mia", id, { limit: 100, offset: 0 })).runs
const untilRunning = (id: string) =>
  waitFor(async () => expect((await runsOf(id))[0]?.status).toBe("running"))

// Would catch: a run that waits for ever because its model wasn't there, or the disk full, when it was its turn.
test("what can't begin is tried again when times are looked at", async () => {
  const id = await create({ kind: "manual" })
  const begin = ask
  const tried = Promise.withResolvers<void>()
  ask = async () => {
    tried.resolve()
    throw new AppError("unavailable", sentence("http.no_box_runs"))
  }
  await automations.run(mia, id, {})
  await tried.promise
  ask = begin
  expect((await runsOf(id))[0]?.status).toBe("queued")
  await create({ kind: "manual" }) // after which times are looked at
  await untilRunning(id)
})

// Would catch: a run that says that it was cancelled, and whose conversation goes on and does what it was to do.
test("cancelling a run that has begun since it was looked at stops its conversation", async () => {
  const id = await create({ kind: "manual" })
  const hold = Promise.withResolvers<void>()
  const begin = ask
  ask = async (...asked) => {
    await hold.promise
    return begin(...asked)
  }
  const { id: runId } = await automations.run(mia, id, {})
  const queued = await runs.find(runId)
  if (queued === undefined) throw new Error("There is no run.")
  hold.resolve()
  await untilRunning(id)
  await using runner = createRunner({
    ...deps,
    store: createAutomationStore(deps.db),
    runs,
    ended: async () => undefined,
    answerStanding: async () => undefined,
  })
  expect((await runner.cancel(queued))?.status).toBe("cancelled")
  expect(answering.size).toBe(0)
})

// Would catch: what a key started, and goes on or begins after the key was revoked while the box was off.
test("a start cancels the runs of keys that were revoked before it, and begins those of the others", async () => {
  const withKey = (credentialId: string): Caller => ({ ...mia, via: "key", credentialId })
  const id = await create({ kind: "manual" })
  await automations.run(withKey("bad"), id, {})
  await untilRunning(id)
  await automations.run(withKey("bad"), id, {})
  await automations.run(withKey("good"), id, {})
  await automations[Symbol.asyncDispose]()
  revoked.add("bad")
  await using next = createAutomations(deps)
  await next.start()
  const statuses = async () => (await runsOf(id)).map(({ status }) => status)
  await waitFor(async () => expect(await statuses()).toEqual(["running", "cancelled", "cancelled"]))
  expect(answering.size).toBe(1)
})

// Would catch: runs of earlier versions, which don't say which key started them, and that no key's end may cancel.
test("a run that was stored without its key begins", async () => {
  revoked.add("bad")
  const id = await create({ kind: "manual" })
  const row = await createAutomationStore(deps.db).find(id)
  if (row === undefined) throw new Error("There is no automation.")
  const run = await runs.add(deps.db, row, { kind: "manual", userId: "mia" })
  await deps.db
    .updateTable("automationRuns")
    .set({ cause: JSON.stringify({ kind: "manual", userId: "mia", scopes: ["assistants"] }) })
    .where("id", "=", run?.id ?? "")
    .execute()
  await automations.start()
  await untilRunning(id)
})

describe("a key with the scope assistants", () => {
  const limited: Caller = { ...mia, via: "key", credentialId: "limited", scopes: ["assistants"] }
  const full: Caller = { ...mia, via: "key", credentialId: "full" }
  const refused = { code: "forbidden" }
  const draftOf = (more: Partial<AutomationDraft>) =>
    AutomationDraft.parse({ name: "Clerk", prompt: "Look.", trigger: { kind: "manual" }, ...more })
  const createAs = async (caller: Caller, more: Partial<AutomationDraft>) =>
    (await automations.create(caller, draftOf(more))).automation.id
  /** The scopes with which the automation runs. */
  async function scopesOf(id: string): Promise<Caller["scopes"]> {
    const row = await createAutomationStore(deps.db).find(id)
    return row === undefined ? [] : callerOf(row).scopes
  }

  // Would catch: a key that only switches an automation off or renames it, after which its owner can't switch it on.
  test.each(["session", "key"] as const)(
    "leaves the rights of what a %s wrote when it switches it off",
    async (via) => {
      const owner = via === "session" ? mia : full
      const id = await createAs(owner, { vectorIds: ["terms"] })
      await automations.update(limited, id, { enabled: false, name: "Off" })
      await expect(automations.update(limited, id, { enabled: true })).rejects.toMatchObject(refused)
      const { automation } = await automations.update(owner, id, { enabled: true })
      expect(automation).toMatchObject({ enabled: true, name: "Off" })
      expect(await scopesOf(id)).toBeNull()
    },
  )

  // Would catch: rights that a change takes without a word, or that a key gets by what it changes.
  test("changes nothing of an automation that reaches more than the key, or would", async () => {
    deps.assistant = async (_userId, id) => ({ vectorIds: [], usesAccounts: false, ...reach[id] })
    const reach: Record<string, { vectorIds?: string[]; usesAccounts?: boolean }> = {
      librarian: { vectorIds: ["terms"] },
      postman: { usesAccounts: true },
    }
    for (const more of [
      { vectorIds: ["terms"] },
      { assistantId: "librarian" },
      { assistantId: "postman" },
    ] satisfies Partial<AutomationDraft>[]) {
      const id = await createAs(mia, more)
      for (const patch of [{ notify: "never" as const }, { prompt: "Tell me." }, { vectorIds: [] }])
        await expect(automations.update(limited, id, patch)).rejects.toMatchObject(refused)
      const plain = await createAs(mia, {})
      await expect(automations.update(limited, plain, more)).rejects.toMatchObject(refused)
      expect([await scopesOf(id), await scopesOf(plain)]).toEqual([null, null])
    }
  })

  // Would catch: an automation that stays narrowed for its owner, or that lends a key its owner's rights.
  test("narrows what it may change, until someone with full rights changes it", async () => {
    for (const owner of [mia, full]) {
      const id = await createAs(owner, {})
      await automations.update(limited, id, { notify: "never" })
      expect(await scopesOf(id)).toEqual(["assistants"])
      await automations.update(owner, id, { name: "Mine" })
      expect(await scopesOf(id)).toEqual(["assistants"])
      await automations.update(owner, id, { vectorIds: ["terms"] })
      expect(await scopesOf(id)).toBeNull()
    }
  })

  // Would catch: a key's words that are said with the rights of a person who only switched them on.
  test("keeps its rights for what it wrote, also where another key narrowed them", async () => {
    const id = await createAs(mia, {})
    await automations.update(limited, id, { prompt: "Tell me." })
    await automations.update({ ...limited, scopes: ["assistants", "notify"] }, id, { notify: "never" })
    await automations.update(mia, id, { enabled: false })
    await automations.update(mia, id, { enabled: true })
    expect(await scopesOf(id)).toEqual(["assistants"])
    await automations.update(mia, id, { prompt: "Tell me." })
    expect(await scopesOf(id)).toBeNull()
  })
})

// Would catch: a run that is stopped as soon as it begins, because a damaged row gives it more time than timers can wait.
test("a run isn't stopped by a budget that no timer can wait for", async () => {
  const id = await create({ kind: "manual" })
  await deps.db.updateTable("automations").set({ minutes: 1_000_000_000 }).where("id", "=", id).execute()
  using timers = vi.spyOn(globalThis, "setTimeout")
  await automations.run(mia, id, {})
  await untilRunning(id)
  const longest = Math.max(...timers.mock.calls.map(([, delayMs = 0]) => delayMs))
  expect(longest).toBe(2 ** 31 - 1) // Node.js calls back at once after a longer time
})

// Would catch: a time that is dropped because its automation was changed before it was noticed, as by a computer that wakes up.
test("a time that is due has its run, also where its automation is changed at that moment", async () => {
  const id = await create({ kind: "schedule", cron: "1 8 * * *", timeZone: "UTC" })
  now += 60_000
  await automations.update(mia, id, { name: "Other" })
  expect((await runsOf(id)).map(({ cause }) => cause)).toEqual([
    { kind: "schedule", at: "2026-11-27T08:01:00.000Z" },
  ])
})

// Would catch: an automation that is off, and whose owner never hears of it, because the box was killed at its last failure.
test("that it was switched off is told once, also over a crash and where ends aren't told", async () => {
  const id = await create({ kind: "manual" }, { notify: "never" })
  const row = await createAutomationStore(deps.db).find(id)
  if (row === undefined) throw new Error("There is no automation.")
  const broken = new AppError("unavailable", sentence("automations.answer_failed")).toBody()
  for (let count = 0; count < 5; count++) {
    const run = await runs.add(deps.db, row, { kind: "manual", userId: "mia" })
    await runs.end("failed", run?.id ?? "", broken) // and nothing after it
  }
  await automations.start()
  expect(toldOff).toEqual([id])
  await using next = createAutomations(deps)
  await next.start()
  expect(toldOff).toEqual([id])
})
