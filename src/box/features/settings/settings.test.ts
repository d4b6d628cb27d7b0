import { afterAll, beforeAll, expect, it } from "vitest"
import { waitFor } from "../../../shared/testing/wait-for.ts"
import { addUser, startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

const read = async () => (await box.client.settings.read()).settings

it("keeps settings that a patch doesn't name, and keeps everything over a restart", async () => {
  const before = await read()
  await box.client.settings.update({ body: { allowedHosts: ["box.example"] } })
  await box.client.settings.update({ body: { mutedCategories: ["chat"] } })
  const expected = { ...before, allowedHosts: ["box.example"], mutedCategories: ["chat"] }
  expect(await read()).toEqual(expected)
  await box.restart()
  expect(await read()).toEqual(expected)
})

// Catches an ordinary user who opens the server to their own web page or host name.
it("lets only an owner change settings that apply to everyone", async () => {
  const member = await addUser(box, "ann@example.com")
  const before = await read()
  for (const body of [
    { allowedOrigins: ["https://evil.example"] },
    { allowedHosts: ["evil.example"], mutedCategories: ["email" as const] },
    { textEvent: "text" as const },
  ]) {
    await expect(member.settings.update({ body })).rejects.toMatchObject({ code: "forbidden" })
  }
  expect(await read()).toEqual(before)
  const own = (await member.settings.update({ body: { mutedCategories: ["email"] } })).settings
  expect(own).toEqual({ ...before, mutedCategories: ["email"] })
})

// Catches `null` among the allowed origins, which opens the API to every sandboxed frame and every file in a browser.
it("accepts exact origins of web pages, but neither null nor patterns", async () => {
  const before = await read()
  for (const origin of ["null", "*", "https://*.example", "file://", "app.example", ""]) {
    const update = box.client.settings.update({ body: { allowedOrigins: ["https://app.example", origin] } })
    await expect(update, origin).rejects.toMatchObject({ code: "validation" })
  }
  expect(await read()).toEqual(before)
  const body = { allowedOrigins: ["https://App.Example/", "app://obsidian.md"] }
  expect((await box.client.settings.update({ body })).settings.allowedOrigins).toEqual([
    "https://app.example",
    "app://obsidian.md",
  ])
  await box.client.settings.update({ body: { allowedOrigins: [] } })
})

// Catches concurrent changes of which the last one undoes the others or affects another person.
it("keeps all concurrent changes, each for its own user", async () => {
  const ann = await addUser(box, "ann2@example.com")
  const mia = await addUser(box, "mia2@example.com")
  await Promise.all([
    box.client.settings.update({ body: { allowedHosts: ["together.example"] } }),
    box.client.settings.update({ body: { allowedOrigins: ["https://together.example"] } }),
    box.client.settings.update({ body: { textEvent: "text" } }),
    box.client.settings.update({ body: { mutedCategories: ["chat"] } }),
    ann.settings.update({ body: { mutedCategories: ["email"] } }),
    mia.settings.update({ body: { mutedCategories: [] } }),
  ])
  const sharedSettings = {
    allowedHosts: ["together.example"],
    allowedOrigins: ["https://together.example"],
    textEvent: "text",
  }
  const settings = async () =>
    Promise.all([box.client, ann, mia].map(async (client) => (await client.settings.read()).settings))
  const expected = [["chat"], ["email"], []].map((mutedCategories) => ({
    ...sharedSettings,
    mutedCategories,
  }))
  expect(await settings()).toMatchObject(expected)
  await box.restart()
  expect(await read()).toMatchObject({ ...sharedSettings, mutedCategories: ["chat"] })
  await box.client.settings.update({ body: { textEvent: "text-delta", allowedOrigins: [] } })
  expect(await read()).toMatchObject({ textEvent: "text-delta", allowedOrigins: [] })
})

// Catches one person's damaged setting that makes all settings unavailable to them or to everyone.
it("ignores a person's invalid setting, and leaves other people's settings unchanged", async () => {
  const ann = await addUser(box, "ann3@example.com")
  const mia = await addUser(box, "mia3@example.com")
  for (const one of [ann, mia]) await one.settings.update({ body: { mutedCategories: ["email"] } })
  await using database = await getRows(box.dataDir)
  const userId = (await ann.account.me()).user.id
  for (const value of ["{", '["no such category"]', "7"]) {
    await database.db.updateTable("userSettings").set({ value }).where("userId", "=", userId).execute()
    expect((await ann.settings.read()).settings.mutedCategories).toEqual([])
    expect((await mia.settings.read()).settings.mutedCategories).toEqual(["email"])
  }
  await ann.settings.update({ body: { mutedCategories: ["chat"] } })
  expect((await ann.settings.read()).settings.mutedCategories).toEqual(["chat"])
})

it("refuses an unknown value", async () => {
  const wrong = box.client.settings.update({ body: { textEvent: "words" as "text" } })
  await expect(wrong).rejects.toMatchObject({ code: "validation", details: [{ field: "textEvent" }] })
})

// Catches a key that can be read back, or that is sent to another search engine.
it("keeps the search engine's key secret, and only while that engine is used", async () => {
  const choose = async (webSearch: object) =>
    (await box.client.settings.update({ body: { webSearch: webSearch as { provider: "brave" } } })).settings
  expect((await read()).webSearch).toEqual({ provider: "duckduckgo", url: null, hasApiKey: false })
  const chosen = await choose({ provider: "brave", apiKey: "secret-key-1" })
  expect(chosen.webSearch).toEqual({ provider: "brave", url: null, hasApiKey: true })
  expect((await choose({ provider: "brave" })).webSearch.hasApiKey).toBe(true)
  await box.restart()
  expect(JSON.stringify(await box.client.settings.read())).not.toContain("secret-key-1")
  expect((await read()).webSearch.hasApiKey).toBe(true)
  const other = await choose({ provider: "searxng", url: "http://127.0.0.1:8888" })
  expect(other.webSearch).toEqual({ provider: "searxng", url: "http://127.0.0.1:8888", hasApiKey: false })
  expect((await choose({ provider: "brave" })).webSearch.hasApiKey).toBe(false)
  for (const wrong of [
    { provider: "searxng" },
    { provider: "searxng", url: "file:///etc" },
    { provider: "searxng", url: "http://user:word@search.example" },
    { provider: "brave", apiKey: "a b" },
    { provider: "other" },
  ])
    await expect(choose(wrong)).rejects.toMatchObject({ code: "validation" })
  const member = await addUser(box, "mia@example.com")
  const taken = member.settings.update({ body: { webSearch: { provider: "off" } } })
  await expect(taken).rejects.toMatchObject({ code: "forbidden" })
})

// Catches a restored backup with an invalid setting, after which the server doesn't start or loses the other settings.
it("ignores invalid stored settings, logs them, and keeps the rest", async () => {
  const before = (await box.client.settings.update({ body: { allowedHosts: ["box.example"] } })).settings
  await using database = await getRows(box.dataDir)
  for (const [key, value] of [
    ["allowedOrigins", '["null", "*"]'],
    ["modelMirror", '"file:///etc/passwd"'],
    ["textEvent", "{"],
    ["chatModel", "7"],
    ["__proto__", '{"allowedHosts":["evil.example"]}'],
  ] as const) {
    const row = database.db.insertInto("settings").values({ key, value })
    await row.onConflict((conflict) => conflict.column("key").doUpdateSet({ value })).execute()
  }
  await box.restart()
  expect(await read()).toEqual(before)
  await waitFor(async () => {
    const { lines } = await box.client.logs.read({ query: { level: "warn" } })
    const log = JSON.stringify(lines)
    for (const key of ["allowedOrigins", "modelMirror", "textEvent", "chatModel"]) expect(log).toContain(key)
  })
})
