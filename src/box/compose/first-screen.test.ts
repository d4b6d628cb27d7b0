import { afterAll, beforeAll, expect, test } from "vitest"
import type { Client } from "../../shared/client/http-client.ts"
import { connectApp } from "../testing/clients.ts"
import { addUser, startTestBox, type TestBox } from "../testing/test-box.ts"
import { waitFor } from "../../shared/testing/wait-for.ts"

let box: TestBox
let ann: Client
beforeAll(async () => {
  box = await startTestBox()
  ann = await addUser(box, "ann@example.com")
})
afterAll(() => box[Symbol.asyncDispose]())

/** The data that a page would otherwise request in separate calls. */
const askedApart = async (client: Client) => ({
  me: await client.account.me(),
  folders: await client.folders.list(),
  conversations: await client.conversations.list({ query: { limit: 100, offset: 0 } }),
  queues: await client.queue.chats(),
  pinned: await client.conversations.list({ query: { limit: 50, offset: 0, pinned: true } }),
  activity: await client.chat.activity(),
  assistants: await client.assistants.list({ query: { limit: 200, offset: 0 } }),
  projects: await client.projects.list({ query: { limit: 200, offset: 0 } }),
  models: await client.models.state(),
  settings: await client.settings.read(),
  unread: await client.notifications.unreadCount(),
  hasAutomations: (await client.automations.list()).automations.length > 0,
})

// Catches a first screen that lacks some of the data of its parts, or contains another user's data.
test("returns the same as the separate endpoints, for each user", async () => {
  await ann.folders.create({ body: { name: "Ann's" } })
  await ann.assistants.create({ body: { name: "Helper" } })
  await ann.projects.create({ body: { name: "Ann's" } })
  await ann.notifications.send({ body: { title: "For Ann" } })
  await ann.automations.create({ body: { name: "Ann's", prompt: "Look.", trigger: { kind: "manual" } } })
  await box.client.folders.create({ body: { name: "The owner's" } })
  for (const client of [ann, box.client]) {
    const { news: _, ...screen } = await client.page.firstScreen()
    expect(screen).toEqual(await askedApart(client))
  }
  expect((await ann.page.firstScreen()).hasAutomations).toBe(true)
  expect((await ann.page.firstScreen()).folders.vectors.map(({ name }) => name)).toEqual(["Ann's"])
})

// Catches a page that keeps showing old data after a change between its first response and its live connection.
test("distinguishes a change before the live connection from no change", async () => {
  const { key } = await ann.keys.create({ body: { name: "App" } })
  const greeting = async () => {
    using app = await connectApp(box.url, key)
    return app.messages[0]
  }
  const before = await ann.page.firstScreen()
  expect(await greeting()).toMatchObject({ type: "hello", news: before.news })
  await ann.notifications.send({ body: { title: "Changed" } })
  expect(await greeting()).not.toMatchObject({ news: before.news })
  await waitFor(async () =>
    expect(await greeting()).toMatchObject({ news: (await ann.page.firstScreen()).news }),
  )
})

// Catches a limited key that reads everything through the page's endpoint.
test("refuses keys with limited rights", async () => {
  const { key } = await ann.keys.create({ body: { name: "Reader", scopes: ["read-only"] } })
  await expect(box.getClient(key).page.firstScreen()).rejects.toMatchObject({ code: "forbidden" })
})
