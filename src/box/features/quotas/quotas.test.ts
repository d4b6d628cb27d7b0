import { afterEach, beforeEach, expect, test } from "vitest"
import type { OwnLimits } from "../../../shared/contract/quotas.ts"
import { stopClock } from "../../../shared/testing/stop-clock.ts"
import { getKey, signIn, tokenIn } from "../../testing/clients.ts"
import { startModelServer, type ModelServer } from "../../testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

let model: ModelServer
let box: TestBox
let memberKey: string
let memberId: string
let folder: string

beforeEach(async () => {
  model = await startModelServer(() => ({ text: "Done." }))
  box = await startTestBox({ model: model.baseUrl })
  const { person, links } = await box.client.people.add({ body: { email: "m@example.com", name: "M" } })
  memberId = person.id
  memberKey = await getKey(box.url, await signIn(box.url, tokenIn(links.local)))
  folder = ((await (await send("POST", "/api/public/vectors", { name: "F" })).json()) as Made).vector.id
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

interface Made {
  vector: { id: string }
}
interface Uploaded {
  files: { id: string }[]
}

/** Sends a request as the member. */
function send(method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { "x-api-key": memberKey, "content-type": "application/json" }
  return fetch(box.url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
}

function put(text: string, name = "a.txt", fileId?: string, to = folder): Promise<Response> {
  const body = new FormData()
  body.append("file", new Blob([text]), name)
  const path = `/api/public/vectors/${to}/files${fileId === undefined ? "" : `/${fileId}`}`
  const method = fileId === undefined ? "POST" : "PUT"
  return fetch(box.url + path, { method, headers: { "x-api-key": memberKey }, body })
}

const ask = () =>
  send("POST", "/api/v1/chat/completions", { messages: [{ role: "user", content: "Hello?" }] })

const none: OwnLimits = { files: null, bytes: null, answers: null, tokens: null }
const limit = (limits: Partial<OwnLimits>) =>
  box.client.quotas.setPerson({ params: { id: memberId }, body: { ...none, ...limits } })
const noon = new Date(new Date().setUTCHours(12, 0, 0, 0))
const own = async () => (await (await send("GET", "/api/public/me/quota")).json()) as { use: OwnLimits }

// Catches concurrent uploads that each see the same free room.
test("only as many of twenty concurrent uploads are accepted as there is room for; a deletion makes room, and an undo is always allowed", async () => {
  // Each upload goes to its own folder, because uploads to one folder run one at a time anyway.
  const folders = [folder]
  while (folders.length < 20) {
    const made = await send("POST", "/api/public/vectors", { name: `F${folders.length}` })
    folders.push(((await made.json()) as Made).vector.id)
  }
  await limit({ files: 3 })
  const sent = await Promise.all(folders.map((to, n) => put(`Text ${n}`, `${n}.txt`, undefined, to)))
  const taken = sent.filter(({ ok }) => ok)
  expect(taken).toHaveLength(3)
  const refused = sent.find(({ status }) => status === 409)
  expect(await refused?.json()).toMatchObject({ code: "quota_full", details: { limit: "files", most: 3 } })
  expect((await own()).use.files).toBe(3)
  const { files, collection } = (await (taken[0] as Response).json()) as Uploaded & { collection: string }
  const deleted = await send("DELETE", `/api/public/vectors/${collection}/files/${files[0]?.id ?? ""}`)
  const { undo } = (await deleted.json()) as { undo: { token: string } }
  expect((await put("One more", "more.txt")).ok).toBe(true)
  expect((await put("Too many", "many.txt")).status).toBe(409)
  expect((await send("POST", "/api/public/undo", { token: undo.token })).ok).toBe(true)
  expect((await own()).use.files).toBe(4)
})

// Catches files that escape the limit because they are empty and no other file is in their folder.
test("empty files count", async () => {
  await limit({ files: 2 })
  expect((await put("", "one.txt")).ok).toBe(true)
  expect((await put("", "two.txt")).ok).toBe(true)
  expect((await put("", "three.txt")).status).toBe(409)
  expect((await own()).use.files).toBe(2)
})

// Catches a replacement that is counted as another file, or with all of its bytes.
test("a replaced file counts only the added bytes", async () => {
  const { files } = (await (await put("x".repeat(1000), "big.txt")).json()) as Uploaded
  const id = files[0]?.id ?? ""
  const before = Number((await own()).use.bytes)
  await limit({ bytes: before + 100, files: 0 })
  expect((await put("y".repeat(1101), "big.txt", id)).status).toBe(409)
  expect((await put("y".repeat(1100), "big.txt", id)).ok).toBe(true)
  expect((await own()).use.bytes).toBe(before + 100)
  await limit({ bytes: 1 })
  expect((await put("y".repeat(50), "big.txt", id)).ok).toBe(true)
})

// Catches concurrent answers that are all admitted, and tokens that aren't counted.
test("only as many of ten concurrent answers start as the day has left; tokens are counted when an answer ends", async () => {
  stopClock(noon)
  await limit({ answers: 3 })
  const asked = await Promise.all(Array.from({ length: 10 }, ask))
  expect(asked.filter(({ ok }) => ok)).toHaveLength(3)
  const refused = asked.find(({ status }) => status === 429)
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(5)
  await limit({ tokens: 1_000_000 })
  const before = Number((await own()).use.tokens)
  expect((await ask()).ok).toBe(true)
  const used = Number((await own()).use.tokens)
  expect(used).toBeGreaterThan(before)
  await limit({ tokens: used })
  expect((await ask()).status).toBe(429)
  // Catches a queued question that is retried constantly, or lost, because of a daily limit.
  const waiting = { content: "Later?", boxAddress: box.url }
  expect((await send("POST", "/api/public/chats/later/queue", waiting)).ok).toBe(true)
  const queue = async () => (await send("GET", "/api/public/chats/later/queue")).text()
  await expect.poll(queue).toContain("quota_exceeded")
  expect(await queue()).toContain("Later?")
  const chat = { id: "over", messages: [{ role: "user", content: "Hello?" }], boxAddress: box.url }
  expect((await send("POST", "/api/ai/chat", chat)).status).toBe(429)
  await limit({ tokens: "unlimited" })
  expect((await ask()).ok).toBe(true)
})

// Catches a workspace limit that applies to each member separately.
test("a workspace's limit applies to all its members together; a person's limits override the default ones, number by number", async () => {
  stopClock(noon)
  const { workspaces } = await box.client.quotas.list()
  const id = workspaces[0]?.id ?? ""
  const answers = (workspaces[0]?.use.answers ?? 0) + 1
  await box.client.quotas.setWorkspace({ params: { id }, body: { ...noLimits, answers } })
  expect((await ask()).ok).toBe(true)
  const refused = await ask()
  expect(refused.status).toBe(429)
  expect(await refused.text()).toContain("workspace")
  await box.client.quotas.setWorkspace({ params: { id }, body: noLimits })
  await box.client.quotas.setDefault({ body: { ...noLimits, answers: 0 } })
  expect((await ask()).status).toBe(429)
  await limit({ answers: "unlimited" })
  expect((await ask()).ok).toBe(true)
})
const noLimits = { files: null, bytes: null, answers: null, tokens: null }

// Catches members who raise their own limits or read other people's usage.
test("members can't read other people's usage or set limits; numbers must be whole and not negative", async () => {
  expect((await send("GET", "/api/public/quotas")).status).toBe(403)
  for (const path of ["default", `people/${memberId}`, "workspaces/any"])
    expect((await send("PUT", `/api/public/quotas/${path}`, none)).status).toBe(403)
  for (const files of [-1, 1.5, 1e300, "3"]) {
    const wrong = limit({ files } as Partial<OwnLimits>)
    await expect(wrong).rejects.toMatchObject({ code: "validation" })
  }
  const nobody = box.client.quotas.setPerson({ params: { id: "nobody" }, body: none })
  await expect(nobody).rejects.toMatchObject({ code: "not_found" })
})
