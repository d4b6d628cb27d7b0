import { afterEach, beforeEach, expect, it } from "vitest"
import { api } from "../../../shared/contract/api.ts"
import type { Contract } from "../../../shared/contract/endpoint.ts"
import { addUser, getRows, startTestBox, type TestBox } from "../../testing/test-box.ts"
import type { OpenDatabase } from "../../core/database/database.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import type { Caller } from "../../http/caller.ts"
import { audited, createAudit, type AuditDeps } from "./audit.ts"
import { createAuditStore } from "./audit-store.ts"

const hourMs = 60 * 60_000
const someone: Caller = {
  userId: "someone",
  credentialId: "credential",
  via: "session",
  origin: "APP",
  scopes: null,
  isOwner: false,
}
const getAudit = async ({ db }: OpenDatabase, deps: Partial<AuditDeps>) =>
  createAudit({
    reserve: { withReserve: (work) => work() },
    db,
    logger: silentLogger,
    ageNow: Date.now,
    user: async () => null,
    getKeys: async () => [],
    access: async () => null,
    ...deps,
  })

/** Adds entries to an empty log; returns their ids, newest first. */
async function filled({ db }: OpenDatabase, count: number, at?: string) {
  const store = createAuditStore(db)
  const ids: string[] = []
  for (let left = count; left > 0; left--) {
    ids.unshift(await store.begin({ action: "keys.created", via: "session", details: {} }))
  }
  if (at !== undefined) {
    const rows = await db.deleteFrom("auditLog").returningAll().execute()
    await db
      .insertInto("auditLog")
      .values(rows.map((row) => ({ ...row, at })))
      .execute()
  }
  return ids
}

let box: TestBox
beforeEach(async () => {
  box = await startTestBox()
})
afterEach(() => box[Symbol.asyncDispose]())

const list = async (query = {}) => (await box.client.auditLog.list({ query })).entries

// Catches a new writing endpoint for owners without a declaration for the audit log.
it("declares each writing endpoint for owners", () => {
  const undeclared = Object.entries(api as Record<string, Contract>).flatMap(([feature, endpoints]) =>
    Object.entries(endpoints)
      .filter(([, each]) => each.access === "owner" && each.method !== "get" && each.reads !== true)
      .filter(([, each]) => !audited.has(each))
      .map(([name]) => `${feature}.${name}`),
  )
  expect(undeclared).toEqual([])
})

// Catches an action without an entry, names that aren't stored, and a failure recorded as a success.
it("records who did what to whom, and the result", async () => {
  const draft = { name: "Ann\n<b>x</b>", email: "ann@example.com", role: "member" as const }
  const { person } = await box.client.people.add({ body: draft })
  await box.client.people.update({ params: { id: person.id }, body: { disabled: true } })
  await expect(box.client.people.add({ body: draft })).rejects.toThrow()
  const [failed, disabled, added] = await list()
  expect(failed).toMatchObject({ action: "people.added", outcome: "failed" })
  expect(disabled).toMatchObject({
    action: "people.disabled",
    outcome: "done",
    subject: { id: person.id },
    details: { disabled: true },
  })
  const { user } = await box.client.account.me()
  expect(added).toMatchObject({
    action: "people.added",
    outcome: "done",
    actor: { id: user.id, name: user.name, email: user.email },
    subject: { id: person.id, name: person.name },
  })
  expect(added?.requestId).toBeTruthy()
  expect(await list({ before: disabled?.id })).toEqual([added])
  expect(await list({ action: "people.disabled" })).toEqual([disabled])
  expect(await list({ actorId: "nobody" })).toEqual([])
})

// Catches a folder or an assistant that other people or remote models can read, without a record of who allowed it.
it("records who changed access to folders and assistants", async () => {
  const member = await addUser(box, "ann@example.com")
  const vector = (await member.folders.create({ body: { name: "Diary", remote: "never" } })).vector
  const { assistant } = await member.assistants.create({ body: { name: "Writer" } })
  const change = (body: object) => member.folders.update({ params: { id: vector.id }, body })
  await change({ name: "Diary of 2026", visibility: "PRIVATE", remote: "never" })
  await change({ name: "Diary", remote: "allowed" })
  await change({ visibility: "TEAM", remote: "allowed" })
  const params = { id: assistant.id }
  await member.assistants.update({ params, body: { description: "Writes.", visibility: "PRIVATE" } })
  await member.assistants.update({ params, body: { visibility: "PUBLIC" } })
  await expect(
    box.client.folders.update({ params: { id: vector.id }, body: { visibility: "PUBLIC" } }),
  ).rejects.toThrow()
  const entries = await list({ group: "access" })
  expect(entries.map(({ action, outcome, details }) => [action, outcome, details])).toEqual([
    ["folders.access_changed", "failed", { visibility: "PUBLIC" }],
    ["assistants.access_changed", "done", { visibility: "PUBLIC" }],
    ["folders.access_changed", "done", { visibility: "TEAM" }],
    ["folders.access_changed", "done", { remote: "allowed" }],
  ])
  expect(entries[3]).toMatchObject({
    actor: { email: "ann@example.com" },
    subject: { id: vector.id, name: "Diary of 2026" },
  })
})

// Catches a secret from a request or an answer that is logged.
it("contains no secrets", async () => {
  const { key } = await box.client.keys.create({ body: { name: "Script" } })
  await box.client.settings.update({
    body: { webSearch: { provider: "brave", apiKey: "search-secret-1234" } },
  })
  const { server } = await box.client.modelServers.add({
    body: { name: "Rack", url: "http://127.0.0.1:9/v1", apiKey: "server-secret-1234", models: ["m"] },
  })
  await box.client.modelServers.update({
    params: { serverId: server.id },
    body: { apiKey: "server-secret-12345" },
  })
  await using database = await getRows(box.dataDir)
  const rows = JSON.stringify(await database.db.selectFrom("auditLog").selectAll().execute())
  for (const action of ["keys.created", "settings.changed", "model_server.added", "model_server.changed"])
    expect(rows).toContain(action)
  expect(rows).not.toContain(key)
  expect(rows).not.toMatch(/secret-1234/)
})

// Catches a log that can't be read any more because a client sent an id that is too long.
it("can be read after a client sent an id that is too long, even one stored by an older version", async () => {
  const member = await addUser(box, "ann@example.com")
  const id = "x".repeat(101)
  await expect(member.keys.revoke({ params: { id } })).rejects.toMatchObject({ code: "not_found" })
  expect((await list()).map(({ subject }) => subject?.id)).toContain(id.slice(0, 100))
  await using database = await getRows(box.dataDir)
  const row = await database.db.selectFrom("auditLog").selectAll().limit(1).executeTakeFirstOrThrow()
  await database.db
    .insertInto("auditLog")
    .values({ ...row, id: "before", subjectId: id.replaceAll("x", "y") })
    .execute()
  expect((await list()).map(({ subject }) => subject?.id)).toContain("y".repeat(100))
})

// Catches a member who can read the actions of owners.
it("can be read by owners only", async () => {
  const member = await addUser(box, "bob@example.com")
  await expect(member.auditLog.list({ query: {} })).rejects.toMatchObject({ code: "forbidden" })
})

// Catches an entry that is changed after it ended, or one that gets another actor while it is in progress.
it("refuses to change an entry", async () => {
  await box.client.keys.create({ body: { name: "Script" } })
  await using database = await getRows(box.dataDir)
  const change = database.db.updateTable("auditLog").set({ outcome: "failed" })
  await expect(change.execute()).rejects.toThrow("not changed")
  const [row] = await database.db.selectFrom("auditLog").selectAll().execute()
  if (!row) throw new Error("There is no entry")
  await database.db
    .insertInto("auditLog")
    .values({ ...row, id: "begun", outcome: "begun" })
    .execute()
  const other = database.db
    .updateTable("auditLog")
    .set({ outcome: "done", actorName: "Other" })
    .where("id", "=", "begun")
  await expect(other.execute()).rejects.toThrow("not changed")
})

// Catches a member whose attempts displace everyone's entries, or whose own actions fail when the limit is reached.
it("limits how many entries a member adds per day", async () => {
  await using database = await getRows(box.dataDir)
  const audit = await getAudit(database, { maxPerMember: 3 })
  const member = { ...someone, userId: "bob" }
  const make = () =>
    audit.around(api.keys.create, { caller: member, params: {}, body: {} }, async () => "made")
  expect(await Promise.all(Array.from({ length: 8 }, make))).toEqual(Array(8).fill("made"))
  expect((await audit.list({ limit: 50 })).entries).toHaveLength(3)
  const owner = { ...someone, isOwner: true }
  for (let left = 5; left > 0; left--)
    await audit.around(api.keys.create, { caller: owner, params: {}, body: {} }, async () => "made")
  expect((await audit.list({ limit: 50, actorId: someone.userId })).entries).toHaveLength(5)
})

// Catches a daily limit that never resets.
it("lets a member add entries again on the next day", async () => {
  await using database = await getRows(box.dataDir)
  let now = Date.now()
  const audit = await getAudit(database, { maxPerMember: 1, ageNow: () => now })
  const make = () =>
    audit.around(api.keys.create, { caller: someone, params: {}, body: {} }, async () => "made")
  await make()
  await make()
  expect((await audit.list({ limit: 50 })).entries).toHaveLength(1)
  now += 25 * hourMs
  await make()
  expect((await audit.list({ limit: 50 })).entries).toHaveLength(2)
})

// Catches a log that grows without limit, and one that deletes new entries instead of old ones.
it("keeps the newest entries of the last 400 days", async () => {
  await using database = await getRows(box.dataDir)
  let now = Date.now()
  const audit = await getAudit(database, { maxKept: 3, ageNow: () => now })
  const ids = await filled(database, 5)
  await audit.trim()
  expect((await audit.list({ limit: 50 })).entries.map(({ id }) => id)).toEqual(ids.slice(0, 3))
  now += 399 * 24 * hourMs
  await audit.trim()
  expect((await audit.list({ limit: 50 })).entries).toHaveLength(3)
  now += 2 * 24 * hourMs
  await audit.trim()
  expect((await audit.list({ limit: 50 })).entries).toEqual([])
})

// Catches old entries that stay while no new ones are added.
it("deletes old entries without new ones being added", async () => {
  await using database = await getRows(box.dataDir)
  await filled(database, 1, "2020-01-01T00:00:00.000Z")
  await box.restart()
  expect(await database.db.selectFrom("auditLog").selectAll().execute()).toEqual([])
})

// Catches a group that omits its own actions or shows others.
it("can be filtered by the subject of actions", async () => {
  await box.client.keys.create({ body: { name: "Script" } })
  await box.client.settings.update({ body: { localOnly: true } })
  expect((await list({ group: "keys" })).map(({ action }) => action)).toEqual(["keys.created"])
  expect((await list({ group: "settings" })).map(({ action }) => action)).toEqual(["local_only.switched"])
  expect(await list({ group: "models" })).toEqual([])
})
