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
import { createRunner } from "./runner.ts"
import { createRunStore, type RunStore } from "./run-store.ts"
import type { AutomationsDeps } from "./context.ts"
import { createAutomations, type Automations } from "./service.ts"
import { getCaller, createAutomationStore } from "./store.ts"
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
/** The tests' clock. */
let now: number
let ask: AutomationsDeps["chats"]["ask"]
/** Chats that are being answered. */
let answering: Set<string>
/** Revoked keys. */
let revoked: Set<string>
/** Automations whose owners were notified that they were disabled. */
let switchedOffIds: string[]

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), "casella-turns-"))
  stack.defer(() => rm(directory, { recursive: true }))
  const { db } = stack.use(await openPeopledDatabase(directory, ["mia", "ann"]))
  now = Date.parse("2026-11-27T08:00:30Z")
  answering = new Set()
  switchedOffIds = []
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
    findFilingChat: async () => null,
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
    standingQuestions: { search: async () => [], notify: async () => undefined },
    isRevoked: async (keyId) => revoked.has(keyId),
    whileValid: (keyId, onEnd) => {
      if (revoked.has(keyId)) onEnd()
      return { [Symbol.dispose]: () => undefined }
    },
    disabledIds: async () => [],
    boxAddress: () => "http://127.0.0.1",
    changed: () => undefined,
    answerText: async () => "",
    notify: async () => undefined,
    notifySwitchedOff: async (_ownerId, { id }) => void switchedOffIds.push(id),
    findUnusableFolders: async () => [],
    findOwnFolders: async () => [],
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
const getRuns = async (id: string) => (await automations.listRuns("mia", id, { limit: 100, offset: 0 })).runs
const waitUntilRunning = (id: string) =>
  waitFor(async () => expect((await getRuns(id))[0]?.status).toBe("running"))

// Catches a run that waits forever because its model was unavailable, or the disk full, when it should have started.
test("a run that can't start is retried when times are checked", async () => {
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
  await waitFor(async () => expect((await getRuns(id))[0]?.status).toBe("queued"))
  await create({ kind: "manual" }) // creating an automation triggers a check of the times
  await waitUntilRunning(id)
})

// Catches a user whose long runs keep the automations of everyone else waiting.
test("runs one automation of each user, however many another user runs", async () => {
  const ids = await Promise.all(Array.from({ length: 9 }, () => create({ kind: "manual" })))
  for (const id of ids) await automations.run(mia, id, {})
  await waitFor(() => expect(answering.size).toBe(8))
  const ann: Caller = { ...mia, userId: "ann" }
  const draft = AutomationDraft.parse({ name: "Clerk", prompt: "Look.", trigger: { kind: "manual" } })
  const annRuns: string[] = []
  for (const _ of ["first", "second"]) {
    const { automation } = await automations.create(ann, draft)
    annRuns.push((await automations.run(ann, automation.id, {})).id)
  }
  const statuses = async () => Promise.all(annRuns.map(async (id) => (await runs.find(id))?.status))
  await waitFor(async () => expect(await statuses()).toEqual(["running", "queued"]))
  expect(answering.size).toBe(9)
})

// Catches a run that is reported as cancelled while its chat continues to work.
test("cancelling a run that has started since it was read stops its chat", async () => {
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
  await waitUntilRunning(id)
  const context = { ...deps, store: createAutomationStore(deps.db), runs }
  await using runner = createRunner(context, async () => undefined)
  expect((await runner.cancel(queued))?.status).toBe("cancelled")
  expect(answering.size).toBe(0)
})

// Catches runs that continue or start although their key was revoked while the box was off.
test("a start cancels the runs of keys revoked before it, and starts the runs of other keys", async () => {
  const createKeyCaller = (credentialId: string): Caller => ({ ...mia, via: "key", credentialId })
  const id = await create({ kind: "manual" })
  await automations.run(createKeyCaller("bad"), id, {})
  await waitUntilRunning(id)
  await automations.run(createKeyCaller("bad"), id, {})
  await automations.run(createKeyCaller("good"), id, {})
  await automations[Symbol.asyncDispose]()
  revoked.add("bad")
  await using next = createAutomations(deps)
  await next.start()
  const statuses = async () => (await getRuns(id)).map(({ status }) => status)
  await waitFor(async () => expect(await statuses()).toEqual(["running", "cancelled", "cancelled"]))
  expect(answering.size).toBe(1)
})

// Catches runs of earlier versions, stored without the key that started them, that are wrongly cancelled.
test("a run that was stored without its key starts", async () => {
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
  await waitUntilRunning(id)
})

describe("a key with the scope `assistants`", () => {
  const limited: Caller = { ...mia, via: "key", credentialId: "limited", scopes: ["assistants"] }
  const full: Caller = { ...mia, via: "key", credentialId: "full" }
  const refused = { code: "forbidden" }
  const getDraft = (more: Partial<AutomationDraft>) =>
    AutomationDraft.parse({ name: "Clerk", prompt: "Look.", trigger: { kind: "manual" }, ...more })
  const createAs = async (caller: Caller, more: Partial<AutomationDraft>) =>
    (await automations.create(caller, getDraft(more))).automation.id
  /** Returns the scopes with which the automation runs. */
  async function getScopes(id: string): Promise<Caller["scopes"]> {
    const row = await createAutomationStore(deps.db).find(id)
    return row === undefined ? [] : getCaller(row).scopes
  }

  // Catches a key that only disables or renames an automation, after which its owner can't enable it.
  test.each(["session", "key"] as const)(
    "keeps the rights of an automation written with a %s when disabling it",
    async (via) => {
      const owner = via === "session" ? mia : full
      const id = await createAs(owner, { vectorIds: ["terms"] })
      await automations.update(limited, id, { enabled: false, name: "Off" })
      await expect(automations.update(limited, id, { enabled: true })).rejects.toMatchObject(refused)
      const { automation } = await automations.update(owner, id, { enabled: true })
      expect(automation).toMatchObject({ enabled: true, name: "Off" })
      expect(await getScopes(id)).toBeNull()
    },
  )

  // Catches a change that silently removes rights, or that gives a key more rights.
  test("can't change an automation that has, or would get, more access than the key", async () => {
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
      expect([await getScopes(id), await getScopes(plain)]).toEqual([null, null])
    }
  })

  // Catches an automation that stays narrowed for its owner, or that lends its owner's rights to a key, also after its owner only switched
  // it on again.
  test("narrows the automations it changes, until someone with full rights changes them", async () => {
    for (const owner of [mia, full]) {
      const id = await createAs(owner, {})
      await automations.update(limited, id, { notify: "never" })
      expect(await getScopes(id)).toEqual(["assistants"])
      await automations.update(owner, id, { name: "Mine" })
      await automations.update(owner, id, { enabled: false })
      await automations.update(owner, id, { enabled: true })
      expect(await getScopes(id)).toEqual(["assistants"])
      await automations.update(owner, id, { vectorIds: ["terms"] })
      expect(await getScopes(id)).toBeNull()
    }
  })

  // Catches a key's prompt that runs with the rights of a user who only enabled it.
  test("keeps its own rights for a prompt it wrote, even after another key narrowed them", async () => {
    const id = await createAs(mia, {})
    await automations.update(limited, id, { prompt: "Tell me." })
    await automations.update({ ...limited, scopes: ["assistants", "notify"] }, id, { notify: "never" })
    await automations.update(mia, id, { enabled: false })
    await automations.update(mia, id, { enabled: true })
    expect(await getScopes(id)).toEqual(["assistants"])
    await automations.update(mia, id, { prompt: "Tell me." })
    expect(await getScopes(id)).toBeNull()
  })
})

// Catches a run that is stopped as soon as it starts, because a damaged row gives it more time than timers support.
test("a budget longer than any timer doesn't stop a run", async () => {
  const id = await create({ kind: "manual" })
  await deps.db.updateTable("automations").set({ minutes: 1_000_000_000 }).where("id", "=", id).execute()
  using timers = vi.spyOn(globalThis, "setTimeout")
  await automations.run(mia, id, {})
  await waitUntilRunning(id)
  const longest = Math.max(...timers.mock.calls.map(([, delayMs = 0]) => delayMs))
  expect(longest).toBe(2 ** 31 - 1) // With a longer delay, Node.js calls back immediately
})

// Catches a time that is dropped because its automation was changed before the time was noticed, for example when a computer wakes up.
test("a due time gets its run, even if its automation is changed at that moment", async () => {
  const id = await create({ kind: "schedule", cron: "1 8 * * *", timeZone: "UTC" })
  now += 60_000
  await automations.update(mia, id, { name: "Other" })
  expect((await getRuns(id)).map(({ cause }) => cause)).toEqual([
    { kind: "schedule", at: "2026-11-27T08:01:00.000Z" },
  ])
})

// Catches a disabled automation whose owner is never notified, because the box was killed at its last failure.
test("the owner of a disabled automation is notified once, even after a crash and without notifications of ends", async () => {
  const id = await create({ kind: "manual" }, { notify: "never" })
  const row = await createAutomationStore(deps.db).find(id)
  if (row === undefined) throw new Error("There is no automation.")
  const broken = new AppError("unavailable", sentence("automations.answer_failed")).toBody()
  for (let count = 0; count < 5; count++) {
    const run = await runs.add(deps.db, row, { kind: "manual", userId: "mia" })
    await runs.end("failed", run?.id ?? "", broken) // simulates a crash before the notification
  }
  await automations.start()
  expect(switchedOffIds).toEqual([id])
  await using next = createAutomations(deps)
  await next.start()
  expect(switchedOffIds).toEqual([id])
})
