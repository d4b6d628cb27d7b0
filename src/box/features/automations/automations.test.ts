import { afterAll, beforeAll, expect, test, vi } from "vitest"
import type { AutomationDraft } from "../../../shared/contract/automations.ts"
import { startModelServer, type ModelServer, type Round } from "../../testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

let model: ModelServer
let speak: () => Round = () => ({ text: "Done." })
let box: TestBox
beforeAll(async () => {
  model = await startModelServer(() => speak())
  box = await startTestBox({ model: model.baseUrl })
}, 60_000)
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const manual = { kind: "manual" } as const
type Draft = Pick<AutomationDraft, "trigger"> & Partial<AutomationDraft>
async function create(draft: Draft) {
  return box.client.automations.create({ body: { name: "Clerk", prompt: "Look.", ...draft } })
}
const runsOf = async (id: string) => (await box.client.automations.runs({ params: { id } })).runs
const endOf = (id: string, count = 1) =>
  vi.waitFor(async () => {
    const runs = await runsOf(id)
    expect(runs).toHaveLength(count)
    for (const { status } of runs) expect(["completed", "failed", "skipped", "cancelled"]).toContain(status)
    return runs
  }, 20_000)
const news = async () =>
  (await box.client.notifications.list({ query: { category: "scheduler" } })).notifications

// Would catch: a run that isn't a conversation, or of which nobody hears.
test("a run is a conversation with its cause, and its owner is told once what it answered", async () => {
  const { automation } = await create({ trigger: manual, prompt: "What day is {{date}}?" })
  const { run } = await box.client.automations.run({ params: { id: automation.id } })
  expect(run).toMatchObject({ status: "queued", attempt: 1, cause: { kind: "manual" } })
  const [ended] = await endOf(automation.id)
  expect(ended).toMatchObject({ id: run.id, status: "completed", error: null })
  const { chat } = await box.client.conversations.read({ params: { id: ended?.chatId ?? "" } })
  expect(chat.origin).toBe("API")
  expect(chat.messages.map(({ content }) => content)).toEqual([
    `What day is ${new Date().toISOString().slice(0, 10)}?`,
    "Done.",
  ])
  await vi.waitFor(async () => expect(await news()).toHaveLength(1))
  expect((await news())[0]).toMatchObject({ title: "Clerk", description: "Done.", chatId: ended?.chatId })
})

// Would catch: files that were there before, or don't match, setting it off; one that sets it off twice.
test("a file that is indexed in its folder runs it once for each revision", async () => {
  const { client } = box
  const { vector } = await client.folders.create({ body: { name: "Invoices" } })
  const upload = (fileName: string, text: string) =>
    client.files.upload({ params: { id: vector.id }, file: new Blob([text]), fileName })
  const indexed = (count: number) =>
    vi.waitFor(async () => {
      const { total } = await client.files.list({ params: { id: vector.id }, query: { status: "completed" } })
      expect(total).toBe(count)
    }, 20_000)
  await upload("old.txt", "old")
  await indexed(1)
  const { automation } = await create({
    trigger: { kind: "file", vectorId: vector.id, match: "*.txt", on: ["added", "changed"] },
    prompt: "Read {{file.name}} ({{file.id}}).",
  })
  await upload("other.md", "no")
  const { files } = await upload("new.txt", "The total is 40 euros.")
  const fileId = files[0]?.id ?? ""
  const [run] = await endOf(automation.id)
  expect(run).toMatchObject({ status: "completed", cause: { kind: "file", fileId, revision: 1 } })
  const { chat } = await client.conversations.read({ params: { id: run?.chatId ?? "" } })
  expect(chat.messages[0]?.content).toBe(`Read new.txt (${fileId}).`)
  await client.files.retry({ params: { id: vector.id, fileId } })
  await indexed(3)
  await client.files.replace({
    params: { id: vector.id, fileId },
    file: new Blob(["The total is 50 euros."]),
    fileName: "new.txt",
  })
  const runs = await endOf(automation.id, 2)
  expect(runs[0]?.cause).toMatchObject({ fileId, revision: 2 })
})

// Would catch: a hook whose token opens something else, or a body that is taken for its owner's word.
test("a hook runs its automation with what was posted", async () => {
  const { automation, hook } = await create({ trigger: { kind: "hook" }, prompt: "Sum up: {{input}}" })
  expect(hook?.url).toBe(`${box.url}/api/hooks/${hook?.token ?? ""}`)
  const answer = await fetch(hook?.url ?? "", { method: "POST", body: "The build failed." })
  expect(answer.status).toBe(202)
  await endOf(automation.id)
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain("Sum up: The build failed.")
  expect((await fetch(`${box.url}/api/hooks/hook_wrong`, { method: "POST" })).status).toBe(404)
  expect((await fetch(hook?.url ?? "", { method: "POST", body: "x".repeat(65_537) })).status).toBe(413)
  const asKey = await fetch(`${box.url}/api/public/me`, { headers: { "x-api-key": hook?.token ?? "" } })
  expect(asKey.status).toBe(401)
})

// Would catch: an automation that fails for ever, each time with a notification.
test("after five failures in a row it is switched off, and its owner told", async () => {
  const { automation } = await create({ trigger: manual, name: "Broken" })
  speak = () => ({ refusal: { status: 400, message: "Broken." } })
  for (let count = 1; count <= 5; count++) {
    await box.client.automations.run({ params: { id: automation.id } })
    await endOf(automation.id, count)
  }
  speak = () => ({ text: "Done." })
  const { automation: off } = await box.client.automations.read({ params: { id: automation.id } })
  expect(off).toMatchObject({ enabled: false, problem: { code: "conflict" } })
  await vi.waitFor(async () =>
    expect((await news()).map(({ title }) => title)).toContain("An automation was switched off"),
  )
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
