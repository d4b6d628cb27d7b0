import { afterEach, beforeEach, expect, it } from "vitest"
import { getSystemSandbox } from "../../core/children/sandbox/system-sandbox.ts"
import { describeDesktopSandboxes } from "../../core/children/child.ts"
import type { Egress } from "../../../shared/contract/privacy.ts"
import { runInBackground, onBehalfOf } from "../../core/async-context.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { note } from "../../core/outbound/outbound.ts"
import { startModelServer, type ModelServer } from "../../testing/model-servers/model-server.ts"
import { addUser, startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"
import { openEgressLog, type EgressLog } from "./egress-log.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

let model: ModelServer
let box: TestBox
/** Looks like the address of another computer, but the system routes it to this one. */
const remoteUrl = () => model.baseUrl.replace("127.0.0.1", "0.0.0.0")
beforeEach(async () => {
  model = await startModelServer(() => ({ text: "Four." }))
  box = await startTestBox({ model: remoteUrl() })
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

/** The log under test has no names, because only the server knows them. */
const noNames = () => Promise.resolve(new Map<string, string>())
const unnamed = { people: noNames, chats: noNames, assistants: noNames }

const list = async (query = {}): Promise<Egress[]> => (await box.client.privacy.list({ query })).egress

async function ask(id: string, more: { vector?: string[] } = {}) {
  const messages = [{ role: "user" as const, content: "What is two and two?" }]
  const events = []
  for await (const event of box.client.chat.send({ body: { id, messages, boxAddress: box.url, ...more } }))
    events.push(event)
  return events
}

async function makeFolder(): Promise<string> {
  const { vector } = await box.client.folders.create({ body: { name: "Sums" } })
  const file = new Blob(["Two and two is four, as everyone knows."])
  await box.client.files.upload({ params: { id: vector.id }, file, fileName: "sums.txt" })
  await waitFor(async () => {
    const { files } = await box.client.files.list({ params: { id: vector.id } })
    expect(files[0]?.status).toBe("completed")
  })
  return vector.id
}

// Catches a connection that isn't listed, or is listed without its destination and purpose.
it("lists outgoing connections with their user and chat, even after a restart", async () => {
  await ask("sums")
  const { user } = await box.client.account.me()
  const expected = {
    purpose: "chat-model",
    host: new URL(remoteUrl()).host,
    outcome: "ok",
    user: { id: user.id, name: user.name },
    chat: { id: "sums", name: "What is two and two?" },
    assistant: null,
    tool: null,
  }
  await waitFor(async () => expect((await list()).map(({ outcome }) => outcome)).not.toContain("open"))
  expect((await list())[0]).toMatchObject(expected)
  await box.restart()
  expect((await list())[0]).toMatchObject(expected)
  expect((await list({ purpose: "chat-model", host: "0.0.0" })).length).toBeGreaterThan(0)
  expect(await list({ purpose: "weather" })).toEqual([])
  expect(await list({ host: "elsewhere" })).toEqual([])
})

// Catches a switch that only hides buttons, an answer that is lost with the model, and a switch that can't be turned off again.
it("keeps everything on this computer while it is on, and quotes from folders", async () => {
  const folder = await makeFolder()
  const before = model.requests.length
  const { settings } = await box.client.settings.update({ body: { localOnly: true } })
  expect(settings).toMatchObject({
    localOnly: true,
    localOnlyPrograms: false,
    localOnlyDecidedBy: "settings",
  })
  await expect(ask("alone")).rejects.toMatchObject({
    code: "local_only",
    details: { action: "/settings/privacy" },
  })
  const quoted = await ask("quoted", { vector: [folder] })
  expect(quoted).toContainEqual(
    expect.objectContaining({
      code: "model_unavailable",
      message: expect.stringContaining("local only") as string,
    }),
  )
  expect(JSON.stringify(quoted)).toContain("Two and two is four")
  expect((await box.client.models.state()).chat).toMatchObject({ status: "failed" })
  for (const path of ["catalogue", "own"]) {
    const source = { repo: "a/b", file: `${path}.gguf`, revision: "main" }
    await expect(box.client.models.download({ body: source })).rejects.toMatchObject({ code: "local_only" })
  }
  await box.restart()
  await expect(ask("alone")).rejects.toMatchObject({ code: "local_only" })
  expect(model.requests.length).toBe(before)
  await box.client.settings.update({ body: { localOnly: false } })
  expect(JSON.stringify(await ask("alone"))).toContain("Four.")
})

it("can't be turned off in the app if the server was started with it", async () => {
  await box.restart({ localOnly: true })
  const read = async () => (await box.client.settings.read()).settings
  expect(await read()).toMatchObject({ localOnly: true, localOnlyDecidedBy: "start" })
  for (const body of [{ localOnly: false }, { localOnlyPrograms: true }])
    await expect(box.client.settings.update({ body })).rejects.toMatchObject({ code: "forbidden" })
  await box.client.settings.update({ body: await read() })
  await expect(ask("alone")).rejects.toThrow("--local-only")
  await box.restart({ localOnly: false })
  expect(await read()).toMatchObject({ localOnly: false, localOnlyDecidedBy: "settings" })
})

// Catches an invalid value, as after a disk fault, that turns local-only off.
it("treats a damaged setting as on", async () => {
  await box.client.settings.update({ body: { localOnly: true } })
  {
    await using database = await getRows(box.dataDir)
    await database.db
      .updateTable("settings")
      .set({ value: "garbage" })
      .where("key", "=", "localOnly")
      .execute()
  }
  await box.restart()
  expect((await box.client.settings.read()).settings.localOnly).toBe(true)
})

// Catches members who see each other's connections, an owner who reads other people's chat titles, and a member who clears the list.
it("shows owners everyone's connections and others their own, and lets only owners change the switch and clear the list", async () => {
  const member = await addUser(box, "mia@example.com")
  await ask("owners-chat")
  const messages = [{ role: "user" as const, content: "members-title" }]
  for await (const event of member.chat.send({ body: { id: "members-chat", messages, boxAddress: box.url } }))
    if (event.type === "finish") break
  const hers = JSON.stringify(await member.privacy.list({}))
  expect(hers).toContain("members-chat")
  expect(hers).not.toContain("owners-chat")
  const all = JSON.stringify(await list())
  expect(all).toContain("owners-chat")
  expect(all).toContain("Someone")
  expect(all).not.toContain("members-")
  const forbidden = { code: "forbidden" }
  await expect(member.privacy.clear()).rejects.toMatchObject(forbidden)
  await expect(member.settings.update({ body: { localOnly: true } })).rejects.toMatchObject(forbidden)
  expect((await box.client.privacy.clear()).removed).toBeGreaterThan(1)
  expect(await list()).toEqual([])
})

// Catches a host that a spreadsheet runs as a formula, including after a space or with a full-width character.
it("exports the list as CSV without formulas", async () => {
  await using database = await getRows(box.dataDir)
  await using log = await openEgressLog({ db: database.db, logger: silentLogger, names: unnamed })
  const { user } = await box.client.account.me()
  onBehalfOf({ userId: user.id, tool: "-tool" }, () =>
    ['=cmd"|x', " \uFF1Dwide", "a;=1+1"].forEach((host) =>
      note(log.record, { purpose: "web-page", host, countable: true }).end("ok"),
    ),
  )
  await log[Symbol.asyncDispose]()
  const answer = await box.client.privacy.csv({})
  expect(answer.headers.get("content-type")).toContain("text/csv")
  expect(answer.headers.get("content-disposition")).toContain("attachment")
  const [head, ...rows] = (await answer.text()).split("\r\n")
  expect(head).toContain('"startedAt","durationMs","purpose","host","outcome"')
  for (const host of [`'=cmd""|x`, "' \uFF1Dwide", "a;'=1+1"])
    expect(rows.join("\n")).toContain(`"web-page","${host}","ok","0","0","${user.name}","","","'-tool"`)
})

// Catches a list that grows without limit, or a full database that makes connections fail.
it("keeps the newest records, closes those that a crash left open, and never throws", async () => {
  await using database = await getRows(box.dataDir)
  const { db } = database
  {
    await using log = await openEgressLog({ db, logger: silentLogger, names: unnamed, maxKept: 700 })
    runInBackground(() => {
      for (let n = 0; n < 1200; n++)
        note(log.record, { purpose: "web-page", host: `host-${n}`, countable: true }).end("ok")
      note(log.record, { purpose: "web-page", host: "last", countable: true })
    })
  }
  await using log = await openEgressLog({ db, logger: silentLogger, names: unnamed, maxKept: 700 })
  const reader = { userId: "", everyones: true }
  const { egress, pagination } = await log.list(reader, {}, { limit: 2, offset: 0 })
  expect(egress).toMatchObject([
    { host: "last", outcome: "failed" },
    { host: "host-1199", outcome: "ok" },
  ])
  expect(pagination.total).toBe(700)
  await db.schema.dropTable("egress").execute()
  expect(() =>
    note(log.record, { purpose: "web-page", host: "lost", countable: true }).end("ok"),
  ).not.toThrow()
})

// Catches someone who hides the connections of others, or of the server, by making many.
it("displaces no one else's records when someone makes many connections", async () => {
  await using database = await getRows(box.dataDir)
  const open = () => openEgressLog({ db: database.db, logger: silentLogger, names: unnamed, maxKept: 100 })
  const connect = (host: string, count: number) => (log: EgressLog) => {
    for (let n = 0; n < count; n++)
      note(log.record, { purpose: "web-page", host: `${host}-${n}`, countable: true }).end("ok")
  }
  {
    await using log = await open()
    runInBackground(() => connect("server", 20)(log))
    onBehalfOf({ userId: "ann" }, () => connect("ann", 30)(log))
    onBehalfOf({ userId: "bob" }, () => connect("bob", 600)(log))
  }
  await using log = await open()
  const { egress } = await log.list({ userId: "", everyones: true }, {}, { limit: 200, offset: 0 })
  const hosts = egress.map(({ host }) => host).toReversed()
  expect(hosts.slice(0, 50)).toEqual([...hostsOf("server", 0, 20), ...hostsOf("ann", 0, 30)])
  expect(hosts.slice(50)).toEqual(hostsOf("bob", 550, 600))
})
const hostsOf = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `${name}-${from + n}`)

// Catches sandboxes that are reported although they aren't active, and their state shown to everyone.
it("tells owners which sandboxes protect the server's child processes", async () => {
  const { children } = await box.client.privacy.walls()
  expect(children.map(({ child }) => child)).toEqual(["parser", "tables", "calculator", "python", "engine"])
  const sandbox = getSystemSandbox()
  for (const { walls } of children)
    expect(walls.at(-1)).toEqual({
      wall: "system",
      stands: sandbox.stands,
      reason: sandbox.stands ? null : sandbox.reason,
    })
  const member = await addUser(box, "walls@example.com")
  await expect(member.privacy.walls()).rejects.toMatchObject({ code: "forbidden" })
  expect(describeDesktopSandboxes()[0]?.walls.map(({ stands }) => stands)).toEqual([true, false, false])
})
