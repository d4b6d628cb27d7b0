import { afterAll, beforeAll, expect, test } from "vitest"
import type { Client } from "../../shared/client/http-client.ts"
import { connectApp } from "../testing/connected-app.ts"
import { addUser, startTestBox, type TestBox } from "../testing/test-box.ts"
import { waitFor } from "../../shared/testing/wait-for.ts"

let box: TestBox
let ann: Client
beforeAll(async () => {
  box = await startTestBox()
  ann = await addUser(box, "ann@example.com")
})
afterAll(() => box[Symbol.asyncDispose]())

/** What a page would otherwise ask one by one. */
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

// Would catch: a first screen with less than its parts have, or with what is somebody else's.
test("it has what the endpoints of its parts answer, for each person", async () => {
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

// Would catch: a page that shows for good what changed between its first answer and its live connection.
test("a change before the live connection can be told from none", async () => {
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

// Would catch: a key for one thing that reads everything through the page's door.
test("keys with limited rights don't get it", async () => {
  const { key } = await ann.keys.create({ body: { name: "Reader", scopes: ["read-only"] } })
  await expect(box.clientOf(key).page.firstScreen()).rejects.toMatchObject({ code: "forbidden" })
})
