import { afterEach, beforeEach, expect, it } from "vitest"
import { api } from "../../../shared/contract/api.ts"
import type { Contract } from "../../../shared/contract/endpoint.ts"
import { addUser, rowsOf, startTestBox, type TestBox } from "../../testing/test-box.ts"
import { audited } from "./audited.ts"

let box: TestBox
beforeEach(async () => {
  box = await startTestBox()
})
afterEach(() => box[Symbol.asyncDispose]())

const list = async (query = {}) => (await box.client.auditLog.list({ query })).entries

// Would catch: an endpoint for owners that writes, added without saying what the audit log tells of it.
it("declares each endpoint for owners that writes", () => {
  const undeclared = Object.entries(api as Record<string, Contract>).flatMap(([feature, endpoints]) =>
    Object.entries(endpoints)
      .filter(([, each]) => each.access === "owner" && each.method !== "get" && each.reads !== true)
      .filter(([, each]) => !audited.has(each))
      .map(([name]) => `${feature}.${name}`),
  )
  expect(undeclared).toEqual([])
})

// Would catch: an action without its entry, names that aren't kept, a failure told as done.
it("tells who did what with whom, and how it ended", async () => {
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

// Would catch: a secret of a request or an answer that is written down.
it("holds no secret", async () => {
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
  await using database = await rowsOf(box.dataDir)
  const rows = JSON.stringify(await database.db.selectFrom("auditLog").selectAll().execute())
  for (const action of ["keys.created", "settings.changed", "model_server.added", "model_server.changed"])
    expect(rows).toContain(action)
  expect(rows).not.toContain(key)
  expect(rows).not.toMatch(/secret-1234/)
})

// Would catch: a member who reads what owners do.
it("is read by owners only", async () => {
  const member = await addUser(box, "bob@example.com")
  await expect(member.auditLog.list({ query: {} })).rejects.toMatchObject({ code: "forbidden" })
})

// Would catch: an entry that is changed after it ended, or one that gets another actor while it is begun.
it("refuses to change an entry", async () => {
  await box.client.keys.create({ body: { name: "Script" } })
  await using database = await rowsOf(box.dataDir)
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
