import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest"
import type { AutomationDraft } from "../../../shared/contract/automations.ts"
import { startModelServer, type ModelServer, type Round } from "../../testing/model-servers/model-server.ts"
import { addUser, getRows, startTestBox, type TestBox } from "../../testing/test-box.ts"
import { stopClock } from "../../../shared/testing/stop-clock.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"
import { createKeys } from "../accounts/keys.ts"

let model: ModelServer
let speak: () => Round | Promise<Round>
let box: TestBox
beforeEach(async () => {
  speak = () => ({ text: "Done." })
  model = await startModelServer(() => speak())
  box = await startTestBox({ model: model.baseUrl })
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const manual = { kind: "manual" } as const
type Draft = Pick<AutomationDraft, "trigger"> & Partial<AutomationDraft>
async function create(draft: Draft) {
  return box.client.automations.create({ body: { name: "Clerk", prompt: "Look.", ...draft } })
}
const getRuns = async (id: string) => (await box.client.automations.runs({ params: { id } })).runs
const getEnd = (id: string, count = 1) =>
  waitFor(async () => {
    const runs = await getRuns(id)
    expect(runs).toHaveLength(count)
    for (const { status } of runs) expect(["completed", "failed", "skipped", "cancelled"]).toContain(status)
    return runs
  })
const news = async () =>
  (await box.client.notifications.list({ query: { category: "scheduler" } })).notifications

// Catches a run without a chat, or one whose end is never reported.
test("a run is a chat with its cause, and its owner is notified once of the answer", async () => {
  stopClock()
  const { automation } = await create({ trigger: manual, prompt: "What day is {{date}}?" })
  const { run } = await box.client.automations.run({ params: { id: automation.id } })
  expect(run).toMatchObject({ status: "queued", attempt: 1, cause: { kind: "manual" } })
  const [ended] = await getEnd(automation.id)
  expect(ended).toMatchObject({ id: run.id, status: "completed", error: null })
  const { chat } = await box.client.conversations.read({ params: { id: ended?.chatId ?? "" } })
  expect(chat.origin).toBe("API")
  expect(chat.messages.map(({ content }) => content)).toEqual([
    `What day is ${new Date().toISOString().slice(0, 10)}?`,
    "Done.",
  ])
  await waitFor(async () => expect(await news()).toHaveLength(1))
  expect((await news())[0]).toMatchObject({ title: "Clerk", description: "Done.", chatId: ended?.chatId })
})

// Catches files that already existed or don't match but trigger a run, and a file that triggers it twice.
test("a file indexed in its folder triggers one run per revision", async () => {
  const { client } = box
  const { vector } = await client.folders.create({ body: { name: "Invoices" } })
  const upload = (fileName: string, text: string) =>
    client.files.upload({ params: { id: vector.id }, file: new Blob([text]), fileName })
  const indexed = (count: number) =>
    waitFor(async () => {
      const { total } = await client.files.list({ params: { id: vector.id }, query: { status: "completed" } })
      expect(total).toBe(count)
    })
  await upload("old.txt", "old")
  await indexed(1)
  const { automation } = await create({
    trigger: { kind: "file", vectorId: vector.id, match: "*.txt", on: ["added", "changed"] },
    prompt: "Read {{file.name}} ({{file.id}}).",
  })
  await upload("other.md", "no")
  const { files } = await upload("new.txt", "The total is 40 euros.")
  const fileId = files[0]?.id ?? ""
  const [run] = await getEnd(automation.id)
  expect(run).toMatchObject({ status: "completed", cause: { kind: "file", fileId, revision: 1 } })
  const { chat } = await client.conversations.read({ params: { id: run?.chatId ?? "" } })
  expect(chat.messages[0]?.content).toBe(`Read new.txt (${fileId}).`)
  // A run keeps its file's original name, but hides it from a key that can't read folders.
  await client.filing.file({ body: { action: "rename", fileId, name: "renamed.txt" } })
  expect((await getRuns(automation.id))[0]?.cause).toMatchObject({ fileId, fileName: "new.txt" })
  const { key } = await client.keys.create({ body: { name: "Runs", scopes: ["assistants"] } })
  const limited = box.getClient(key).automations
  const { runs: unnamed } = await limited.runs({ params: { id: automation.id } })
  const { automation: seen } = await limited.read({ params: { id: automation.id } })
  expect([unnamed[0]?.cause, seen.lastRun?.cause]).toEqual(
    Array.from({ length: 2 }, () => ({ kind: "file", fileId, revision: 1 })),
  )
  await client.files.retry({ params: { id: vector.id, fileId } })
  await indexed(3)
  await client.files.replace({
    params: { id: vector.id, fileId },
    file: new Blob(["The total is 50 euros."]),
    fileName: "new.txt",
  })
  const runs = await getEnd(automation.id, 2)
  expect(runs[0]?.cause).toMatchObject({ fileId, revision: 2 })
})

// Catches names of files that arrive in a folder after its owner stopped sharing it.
test("names no file of a folder that is no longer shared", async () => {
  const { client } = box
  const mia = await addUser(box, "mia@box.test")
  const { vector } = await client.folders.create({ body: { name: "Team", visibility: "TEAM" } })
  const upload = (fileName: string) =>
    client.files.upload({ params: { id: vector.id }, file: new Blob([fileName]), fileName })
  const { automation } = await mia.automations.create({
    body: {
      name: "Clerk",
      prompt: "Look at {{file.name}}.",
      trigger: { kind: "file", vectorId: vector.id, match: "*.txt", on: ["added"] },
    },
  })
  const runsUntil = (status: string) =>
    waitFor(async () => {
      const { runs } = await mia.automations.runs({ params: { id: automation.id } })
      expect(runs[0]?.status).toBe(status)
      return runs
    })
  await upload("shared.txt")
  expect(JSON.stringify(await runsUntil("completed"))).toContain("shared.txt")
  await client.folders.update({ params: { id: vector.id }, body: { visibility: "PRIVATE" } })
  await upload("dismissal.txt")
  const [run] = await runsUntil("failed")
  expect(run?.error).toMatchObject({ sentence: { code: "automations.file_gone" } })
  const { notifications } = await mia.notifications.list({})
  expect(JSON.stringify([run, notifications])).not.toContain("dismissal")
})

// Catches patterns that reveal which names arrive in a folder after its owner stopped sharing it.
test("fails for each file of a folder that is no longer shared, whatever its name is", async () => {
  const { client } = box
  const mia = await addUser(box, "mia@box.test")
  const { vector } = await client.folders.create({ body: { name: "Team", visibility: "TEAM" } })
  const watch = async (match: string) => {
    const trigger = { kind: "file" as const, vectorId: vector.id, match, on: ["added" as const] }
    return (await mia.automations.create({ body: { name: match, prompt: "Look.", trigger } })).automation.id
  }
  const ids = [await watch("dis*"), await watch("rai*")]
  await client.folders.update({ params: { id: vector.id }, body: { visibility: "PRIVATE" } })
  const file = new Blob(["Text."])
  await client.files.upload({ params: { id: vector.id }, file, fileName: "dismissal.txt" })
  for (const id of ids)
    await waitFor(async () => {
      const { runs } = await mia.automations.runs({ params: { id } })
      expect(runs.map(({ status }) => status)).toEqual(["failed"])
    })
})

// Catches the names of a colleague's automations in a file's history, and runs that crowd out the steps of the file's owner.
test("appears in a file's history only if the folder belongs to its owner", async () => {
  const { client } = box
  const mia = await addUser(box, "mia@box.test")
  const params = {
    id: (await client.folders.create({ body: { name: "Team", visibility: "TEAM" } })).vector.id,
  }
  const watch = { kind: "file" as const, vectorId: params.id, match: "*.txt", on: ["added" as const] }
  const look = { prompt: "Look at {{file.name}}." }
  const own = (await create({ name: "Own", trigger: watch, ...look })).automation.id
  const { automation } = await mia.automations.create({ body: { name: "Mia's", trigger: watch, ...look } })
  const uploaded = await client.files.upload({ params, file: new Blob(["Text."]), fileName: "a.txt" })
  const fileId = uploaded.files[0]?.id ?? ""
  await getEnd(own)
  await mia.automations.run({ params: { id: automation.id }, query: { fileId } })
  await waitFor(async () => {
    const { runs } = await mia.automations.runs({ params: { id: automation.id } })
    expect(runs.map(({ status }) => status)).toEqual(["completed", "completed"])
  })
  const { history } = await client.filing.history({ params: { ...params, fileId } })
  expect(history.map((each) => [each.step, each.automation])).toEqual([
    ["read", null],
    ["matched", "Own"],
  ])
})

// Catches a run for a file that was read again without any change of its bytes.
test("a file with unchanged bytes triggers no run, whatever was done to it", async () => {
  const { client } = box
  const directory = await mkdtemp(join(tmpdir(), "casella-touched-"))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, "followed.txt")
  await writeFile(path, "The total is 40 euros.")
  const followed = (await client.folders.create({ body: { name: "Followed", folder: directory } })).vector.id
  const own = (await client.folders.create({ body: { name: "Own" } })).vector.id
  const bytes = () => ({ file: new Blob(["The total is 40 euros."]), fileName: "own.txt" })
  const { files } = await client.files.upload({ params: { id: own }, ...bytes() })
  const fileId = files[0]?.id ?? ""
  const only = async (id: string) => (await client.files.list({ params: { id } })).files[0]
  /** Waits until the folder's file is indexed and its modification time has changed. */
  const indexed = (id: string, before?: string) =>
    waitFor(async () => {
      const file = await only(id)
      expect(file?.status).toBe("completed")
      expect(file?.modifiedAt).not.toBe(before)
      return file?.modifiedAt
    })
  let modified = await indexed(followed)
  await indexed(own)
  const ids = []
  for (const vectorId of [followed, own]) {
    const { automation } = await create({
      trigger: { kind: "file", vectorId, match: null, on: ["added", "changed"] },
    })
    ids.push(automation.id)
  }

  await utimes(path, 1_000_000_000, 1_000_000_000)
  modified = await indexed(followed, modified)
  await writeFile(path, "The total is 40 euros.")
  modified = await indexed(followed, modified)
  await client.files.replace({ params: { id: own, fileId }, ...bytes() })
  await indexed(own)
  await client.files.update({ params: { id: own, fileId }, body: { leftOut: true } })
  await client.files.update({ params: { id: own, fileId }, body: { leftOut: false } })
  await indexed(own)

  // New content triggers a run, as the second revision.
  await writeFile(path, "The total is 50 euros.")
  await indexed(followed, modified)
  const other = new Blob(["The total is 50 euros."])
  await client.files.replace({ params: { id: own, fileId }, file: other, fileName: "own.txt" })
  for (const id of ids) expect((await getEnd(id))[0]?.cause).toMatchObject({ kind: "file", revision: 2 })
})

// Catches a webhook whose token gives access to something else, or a request body that is treated as its owner's instruction.
test("a webhook runs its automation with the posted text", async () => {
  const { automation, hook } = await create({ trigger: { kind: "hook" }, prompt: "Sum up: {{input}}" })
  expect(hook?.url).toBe(`${box.url}/api/hooks/${hook?.token ?? ""}`)
  const answer = await fetch(hook?.url ?? "", { method: "POST", body: "The build failed." })
  expect(answer.status).toBe(202)
  await getEnd(automation.id)
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain("Sum up: The build failed.")
  expect((await fetch(`${box.url}/api/hooks/hook_wrong`, { method: "POST" })).status).toBe(404)
  expect((await fetch(hook?.url ?? "", { method: "POST", body: "x".repeat(65_537) })).status).toBe(413)
  const asKey = await fetch(`${box.url}/api/public/me`, { headers: { "x-api-key": hook?.token ?? "" } })
  expect(asKey.status).toBe(401)
})

// Catches a stored webhook secret that works although its automation is listed with another trigger.
test("a secret in an automation with another trigger starts nothing", async () => {
  const { automation, hook } = await create({ trigger: { kind: "hook" } })
  await box.restart({}, async () => {
    await using rows = await getRows(box.dataDir)
    const trigger = JSON.stringify({ kind: "manual" })
    await rows.db.updateTable("automations").set({ trigger }).where("id", "=", automation.id).execute()
  })
  const url = `${box.url}/api/hooks/${hook?.token ?? ""}`
  expect((await fetch(url, { method: "POST" })).status).toBe(404)
  expect(await getRuns(automation.id)).toEqual([])
})

// Catches an automation that keeps failing, each time with a notification.
test("after five consecutive failures it is disabled and its owner notified", async () => {
  const { automation } = await create({ trigger: manual, name: "Broken" })
  speak = () => ({ refusal: { status: 400, message: "Broken." } })
  for (let count = 1; count <= 5; count++) {
    await box.client.automations.run({ params: { id: automation.id } })
    await getEnd(automation.id, count)
  }
  const { automation: off } = await box.client.automations.read({ params: { id: automation.id } })
  expect(off).toMatchObject({ enabled: false, problem: { code: "conflict" } })
  await waitFor(async () =>
    expect((await news()).map(({ title }) => title)).toContain("Broken was turned off"),
  )
})

// Catches a disabled automation that fails a hundred more times with its queued runs.
test("queued runs of an automation disabled by failures are skipped", async () => {
  const { automation, hook } = await create({ trigger: { kind: "hook" }, notify: "never" })
  const broken = Promise.withResolvers<Round>()
  speak = () => broken.promise
  const posts = Array.from({ length: 8 }, () => fetch(hook?.url ?? "", { method: "POST" }))
  await Promise.all(posts)
  broken.resolve({ refusal: { status: 400, message: "Broken." } })
  const ended = await getEnd(automation.id, 8)
  const statuses = ended.map(({ status }) => status)
  expect(statuses.filter((status) => status === "failed")).toHaveLength(5)
  expect(statuses.filter((status) => status === "skipped")).toHaveLength(3)
})

/** An assistant that must ask for approval, and has a memory. */
async function clerk(): Promise<string> {
  const { assistant } = await box.client.assistants.create({
    body: { name: "Clerk", permissionMode: "ask", builtInTools: { memory: true } },
  })
  return assistant.id
}
/** Makes the model remember a text and then report it. */
const remembers = (text: string) => (): Round =>
  model.requests.at(-1)?.messages.at(-1)?.role === "tool"
    ? { text: "Done." }
    : { calls: [{ name: "memory", args: { action: "remember", text } }] }
const memories = async () => (await box.client.memory.list({ query: {} })).memories.map(({ text }) => text)
const waitForPending = (id: string) =>
  waitFor(async () => {
    const [run] = await getRuns(id)
    expect(run?.status).toBe("waiting")
    return run
  })

// Catches a run that continues without its owner's approval, or never ends after it.
test("a run that needs an approval waits, and resumes when the owner approves", async () => {
  const { automation } = await create({ trigger: manual, assistantId: await clerk() })
  speak = remembers("The fee is 40 euros.")
  await box.client.automations.run({ params: { id: automation.id } })
  const chatId = (await waitForPending(automation.id))?.chatId ?? ""
  expect(await memories()).not.toContain("The fee is 40 euros.")
  const { approvals } = await box.client.chat.approvals({ params: { chatId } })
  const toolCallId = approvals[0]?.toolCallId ?? ""
  await box.client.chat.approve({ params: { chatId, toolCallId }, body: { decision: "allow" } })
  expect((await getEnd(automation.id))[0]?.status).toBe("completed")
  expect(await memories()).toContain("The fee is 40 euros.")
})

// Catches a call of a cancelled run that can still be approved and then runs.
test("cancelling a waiting run denies its pending call", async () => {
  const { automation } = await create({ trigger: manual, assistantId: await clerk() })
  speak = remembers("The fee is 50 euros.")
  const { run } = await box.client.automations.run({ params: { id: automation.id } })
  const chatId = (await waitForPending(automation.id))?.chatId ?? ""
  const { run: cancelled } = await box.client.automations.cancel({ params: { runId: run.id } })
  expect(cancelled.status).toBe("cancelled")
  expect((await box.client.chat.approvals({ params: { chatId } })).approvals).toEqual([])
  expect(await memories()).not.toContain("The fee is 50 euros.")
})

const byRevokedKey = {
  status: "cancelled",
  error: { code: "unauthorized", sentence: { code: "automations.starter_revoked" } },
}

// Catches a revoked key for which a model keeps writing, or whose queued runs still start.
test.each(["the API", "another process"])(
  "revoking a key by %s cancels the runs that it started, and no others",
  async (way) => {
    const { client } = box
    const { key, apiKey } = await client.keys.create({ body: { name: "Starter", scopes: ["assistants"] } })
    const never = Promise.withResolvers<void>()
    async function* endlessly() {
      yield "On"
      await never.promise
    }
    speak = () => ({ text: endlessly() })
    const { automation } = await create({ trigger: manual })
    const params = { id: automation.id }
    const { run } = await box.getClient(key).automations.run({ params })
    expect(JSON.stringify(run)).not.toContain(apiKey.id)
    await waitFor(async () => expect((await getRuns(automation.id))[0]?.status).toBe("running"))
    await box.getClient(key).automations.run({ params })
    const { run: own } = await client.automations.run({ params })
    await waitFor(() => expect(model.answering()).toBe(1))
    speak = () => ({ text: "Done." })
    if (way === "the API") await client.keys.revoke({ params: { id: apiKey.id } })
    else {
      await using database = await getRows(box.dataDir)
      await createKeys(database.db, () => undefined).revoke(null, apiKey.id)
    }
    const [third, second, first] = await getEnd(automation.id, 3)
    expect(third).toMatchObject({ id: own.id, status: "completed", error: null })
    expect(second).toMatchObject({ ...byRevokedKey, chatId: null })
    expect(first).toMatchObject({ ...byRevokedKey, id: run.id })
    expect((await client.chat.status({ params: { chatId: run.id } })).isActive).toBe(false)
    expect(JSON.stringify(await getRuns(automation.id))).not.toContain(apiKey.id)
    never.resolve()
  },
)

// Catches a call that is still offered for approval, and then made, although its run's key was revoked.
test("revoking the key of a run that waits for approval denies its pending call", async () => {
  const { client } = box
  const { key, apiKey } = await client.keys.create({ body: { name: "Starter", scopes: ["assistants"] } })
  const { automation } = await create({ trigger: manual, assistantId: await clerk() })
  speak = remembers("The fee is 80 euros.")
  await box.getClient(key).automations.run({ params: { id: automation.id } })
  const chatId = (await waitForPending(automation.id))?.chatId ?? ""
  await client.keys.revoke({ params: { id: apiKey.id } })
  expect((await getEnd(automation.id))[0]).toMatchObject(byRevokedKey)
  expect((await client.chat.approvals({ params: { chatId } })).approvals).toEqual([])
  expect(await memories()).not.toContain("The fee is 80 euros.")
})

// Catches a dry run that makes changes.
test("a dry run changes nothing, and its chat shows which calls would wait for an approval", async () => {
  const { automation } = await create({ trigger: manual, assistantId: await clerk() })
  speak = remembers("The fee is 60 euros.")
  await box.client.automations.run({ params: { id: automation.id }, query: { dryRun: "true" } })
  const [run] = await getEnd(automation.id)
  expect(run).toMatchObject({ status: "completed", cause: { kind: "manual", dryRun: true } })
  expect(await memories()).not.toContain("The fee is 60 euros.")
  const { chat } = await box.client.conversations.read({ params: { id: run?.chatId ?? "" } })
  expect(JSON.stringify(chat.messages)).toContain("Otherwise it would wait for an approval.")
})

// Catches a dry run whose answer is regenerated and then makes changes.
test("later questions in the chat of a dry run, or in a fork of it, change nothing either", async () => {
  const { client } = box
  const { assistant } = await client.assistants.create({
    body: { name: "Doer", permissionMode: "bypass", builtInTools: { memory: true } },
  })
  const { automation } = await create({ trigger: manual, assistantId: assistant.id, prompt: "Note the fee." })
  speak = remembers("The fee is 70 euros.")
  await client.automations.run({ params: { id: automation.id }, query: { dryRun: "true" } })
  const id = (await getEnd(automation.id))[0]?.chatId ?? ""
  const { messages } = (await client.conversations.read({ params: { id } })).chat
  const { chat: fork } = await client.conversations.fork({
    params: { id },
    body: { messageId: messages.at(-1)?.id ?? "" },
  })
  for (const chatId of [id, fork.id])
    for (const content of ["Note the fee.", "Do it now."]) {
      const body = { id: chatId, messages: [{ role: "user" as const, content }], boxAddress: box.url }
      for await (const event of client.chat.send({ body: { ...body, assistantId: assistant.id } }))
        if (event.type === "finish") break
    }
  expect(await memories()).not.toContain("The fee is 70 euros.")
})

// Catches two runs of an automation at the same time, more queued runs than allowed, or runs that are silently dropped.
test("runs don't overlap, 100 are queued, and the others state why they are skipped", async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  async function* slowly() {
    await promise
    yield "Done."
  }
  const { automation } = await create({ trigger: manual, budget: { minutes: 30, runsPerDay: 1_000 } })
  const params = { id: automation.id }
  speak = () => ({ text: slowly() })
  await box.client.automations.run({ params })
  await waitFor(async () => expect((await getRuns(automation.id))[0]?.status).toBe("running"))
  for (let count = 0; count < 102; count++) await box.client.automations.run({ params })
  const { runs } = await box.client.automations.runs({ params, query: { limit: "200" } })
  const of = (status: string) => runs.filter((run) => run.status === status)
  expect([of("running").length, of("queued").length, of("skipped").length]).toEqual([1, 100, 2])
  expect(of("skipped")[0]?.error?.code).toBe("queue_full")
  speak = () => ({ text: "Done." })
  resolve()
  await box.client.automations.remove({ params })
  await expect(box.client.automations.read({ params })).rejects.toMatchObject({ status: 404 })
})

// Catches an automation that runs more often than its owner is willing to pay for.
test("a day's runs are limited by the budget", async () => {
  stopClock()
  const { automation } = await create({ trigger: manual, budget: { minutes: 1, runsPerDay: 2 } })
  for (let count = 0; count < 3; count++) await box.client.automations.run({ params: { id: automation.id } })
  const runs = await getEnd(automation.id, 3)
  expect(runs.map(({ status }) => status).toSorted()).toEqual(["completed", "completed", "skipped"])
})

// Catches a notification each night without any content.
test("with `result`, an answer without content sends no notification", async () => {
  const { automation } = await create({ trigger: manual, name: "Quiet", notify: "result" })
  speak = () => ({ text: "**Nothing to tell.**" })
  await box.client.automations.run({ params: { id: automation.id } })
  await getEnd(automation.id)
  speak = () => ({ text: "The fee rose." })
  await box.client.automations.run({ params: { id: automation.id } })
  await getEnd(automation.id, 2)
  const listNotices = async () => (await news()).filter(({ title }) => title === "Quiet")
  await waitFor(async () => expect(await listNotices()).toHaveLength(1))
  expect((await listNotices())[0]?.description).toBe("The fee rose.")
})

// Catches a standing question that sends a notification for every file or for none, or that needs a model.
test("a standing question notifies when its passages have changed", async () => {
  const { client } = box
  const { vector } = await client.folders.create({ body: { name: "Terms" } })
  const params = { id: vector.id }
  const upload = async (fileName: string, text: string) => {
    await client.files.upload({ params, file: new Blob([text]), fileName })
    await waitFor(async () => {
      const { files } = await client.files.list({ params, query: { search: fileName } })
      expect(files[0]?.status).toBe("completed")
    })
  }
  await upload("terms.txt", "The notice period is three months.")
  const asked = model.requests.length
  const { automation } = await create({
    trigger: { kind: "file", vectorId: vector.id, match: null, on: ["added", "changed"] },
    name: "Notice",
    prompt: "notice period",
    watch: true,
  })
  const listNotices = async () => (await news()).filter(({ title }) => title === "Notice")
  await upload("lunch.txt", "On Fridays there is soup.")
  await getEnd(automation.id)
  expect(await listNotices()).toEqual([])
  await upload("terms-2.txt", "The notice period is one month.")
  await waitFor(async () => {
    const [first] = await listNotices()
    expect(first?.description).toContain("one month")
    expect(first?.description).toContain("three months")
  })
  expect(model.requests).toHaveLength(asked)
})

// Catches work that continues with the rights of a revoked key.
test("a standing question whose key was revoked is no longer answered", async () => {
  const { client } = box
  const { vector } = await client.folders.create({ body: { name: "Rules" } })
  const { apiKey, key } = await client.keys.create({
    body: { name: "Watcher", scopes: ["assistants", "folders"] },
  })
  const { automation } = await box.getClient(key).automations.create({
    body: { name: "Rules", prompt: "rules", watch: true, trigger: { kind: "file", vectorId: vector.id } },
  })
  await client.keys.revoke({ params: { id: apiKey.id } })
  await client.automations.run({ params: { id: automation.id } })
  expect((await getEnd(automation.id))[0]).toMatchObject({
    status: "failed",
    error: { code: "unauthorized" },
  })
})

// Catches automations of a disabled user that no one runs and that block all others.
test("runs of a disabled user don't block other users' runs", async () => {
  const bob = await addUser(box, "bob@example.com")
  const hooks: string[] = []
  for (let count = 0; count < 8; count++) {
    const { hook } = await bob.automations.create({
      body: { name: "Bob", prompt: "Look.", trigger: { kind: "hook" } },
    })
    hooks.push(hook?.url ?? "")
  }
  const { people } = await box.client.people.list({ query: {} })
  const id = people.find(({ email }) => email === "bob@example.com")?.id ?? ""
  await box.client.people.update({ params: { id }, body: { disabled: true } })
  for (const hook of hooks) await fetch(hook, { method: "POST" })
  const { automation } = await create({ trigger: manual })
  await box.client.automations.run({ params: { id: automation.id } })
  expect((await getEnd(automation.id))[0]?.status).toBe("completed")
})

test.each([
  [{ trigger: { kind: "schedule", cron: "0 0 31 2 *", timeZone: "UTC" } }, "trigger.cron"],
  [{ trigger: { kind: "schedule", cron: "soon", timeZone: "UTC" } }, "trigger.cron"],
  [{ trigger: { kind: "schedule", cron: "0 9 * * *", timeZone: "Rome" } }, "trigger.timeZone"],
  [{ trigger: manual, watch: true }, "watch"],
  [{ trigger: manual, assistantId: "nobody" }, "assistantId"],
  [{ trigger: manual, modelId: "nothing" }, "modelId"],
] satisfies [Draft, string][])("%j is refused at %s", async (draft, field) => {
  await expect(create(draft)).rejects.toMatchObject({ status: 400, details: [{ field }] })
})
