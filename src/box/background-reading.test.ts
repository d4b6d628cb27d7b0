import { getRows } from "./testing/test-box.ts"
import { sql } from "kysely"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import { signIn, tokenIn } from "./testing/clients.ts"
import {
  echo,
  startReadingTalk,
  type Folder,
  type ReadingTalk,
} from "./testing/model-servers/reading-talk.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let talk: ReadingTalk
let folder: Folder
/** Lets the model answer. */
let releaseAnswer: () => void
beforeEach(async () => {
  talk = await startReadingTalk()
  const firstWord = Promise.withResolvers<void>()
  releaseAnswer = firstWord.resolve
  talk.speak = async (request) => {
    await firstWord.promise
    return echo(request)
  }
  folder = await talk.makeFolder({ "a.md": "The canary one.", "b.md": "The canary two." })
})
afterEach(() => talk[Symbol.asyncDispose]())

/** Client of the owner's page. */
async function getApp({ box }: ReadingTalk): Promise<Client> {
  const { user } = await box.client.account.me({})
  const { links } = await box.client.people.signInLinks({ params: { id: user.id } })
  return createClient({ baseUrl: box.url, headers: await signIn(box.url, tokenIn(links.local)) })
}

const question = (id: string) => ({
  id,
  messages: [{ role: "user" as const, content: "Summarise it" }],
  boxAddress: talk.box.url,
  vector: [folder.id],
  reading: "whole" as const,
})

/** Asks as the page does, and disconnects when reading starts. */
async function askAndLeave(app: Client, id: string): Promise<void> {
  for await (const event of app.chat.send({ body: question(id) })) if (event.type === "progress") return
}

const listNotifications = async () =>
  (await talk.box.client.notifications.list({})).notifications.filter(({ chatId }) => chatId !== null)

// Catches reading that ends with the window, an end that is notified never or twice, and a notification without how much was read.
test("reading continues without the window, and its end is notified once, with what was read", async () => {
  const app = await getApp(talk)
  await askAndLeave(app, "left")
  expect(await app.chat.status({ params: { chatId: "left" } })).toMatchObject({ isActive: true })
  releaseAnswer()
  await waitFor(async () => expect(await listNotifications()).toHaveLength(1))
  const read = { amounts: [{ unit: "line", read: 2, of: 2 }], files: 2, skipped: 0, partly: 0 }
  expect(await listNotifications()).toMatchObject([
    {
      title: "Your answer is ready",
      description: "Summarise it: 2 of 2 lines read.",
      category: "chat",
      chatId: "left",
      news: { kind: "answer_ready", about: "Summarise it", read },
    },
  ])
  const { chat } = await app.conversations.read({ params: { id: "left" } })
  expect(chat.messages.at(-1)?.parts.at(-1)?.type).toBe("coverage")
  await talk.box.restart()
  expect(await listNotifications()).toHaveLength(1)
})

// Catches a notification about an answer that the user is watching.
test("a user who follows it to its end isn't notified", async () => {
  const app = await getApp(talk)
  releaseAnswer()
  for await (const _ of app.chat.send({ body: question("followed") }));
  await talk.box.restart()
  expect(await listNotifications()).toEqual([])
})

// Catches overnight reading that ended with the box, while its owner waits in vain.
test("reading cut off by the end of the box is notified, with what was read by then", async () => {
  await askAndLeave(await getApp(talk), "cut")
  await talk.box.restart()
  await waitFor(async () =>
    expect(await listNotifications()).toMatchObject([
      { chatId: "cut", type: "error", news: { kind: "answer_failed", read: { files: 2, skipped: 2 } } },
    ]),
  )
})

// Catches an answer cut off by a crash that is shown in its chat, but whose owner is never notified.
test("an answer that was open when the box died is notified once at the next start", async () => {
  const app = await getApp(talk)
  releaseAnswer()
  for await (const _ of app.chat.send({ body: question("crashed") }));
  {
    await using database = await getRows(talk.box.dataDir)
    await database.db.updateTable("conversations").set({ streamStatus: "active" }).execute()
  }
  await talk.box.restart()
  await waitFor(async () =>
    expect(await listNotifications()).toMatchObject([{ chatId: "crashed", news: { kind: "answer_failed" } }]),
  )
  await talk.box.restart()
  expect(await listNotifications()).toHaveLength(1)
})

// Catches an end that was stored, or closed after a crash, right before the box died, and is then never notified.
test("an end that the box could no longer notify is notified once at the next start, with what was read", async () => {
  const app = await getApp(talk)
  releaseAnswer()
  for await (const _ of app.chat.send({ body: question("untold") }));
  {
    await using database = await getRows(talk.box.dataDir)
    await database.db.updateTable("conversations").set({ untold: 1 }).execute()
  }
  await talk.box.restart()
  await waitFor(async () =>
    expect(await listNotifications()).toMatchObject([
      { chatId: "untold", news: { kind: "answer_ready", read: { files: 2, skipped: 0 } } },
    ]),
  )
  const [first] = await listNotifications()
  await talk.box.restart()
  expect(await listNotifications()).toEqual([first])
})

// Catches an end that is stored without its pending notification, which is lost if the box dies at that moment.
test("a pending notification is stored with the answer's end, and cleared after it is sent", async () => {
  await askAndLeave(await getApp(talk), "left")
  await using database = await getRows(talk.box.dataDir)
  await sql`CREATE TRIGGER refuse BEFORE INSERT ON notifications BEGIN SELECT RAISE(ABORT, 'no'); END`.execute(
    database.db,
  )
  const untold = async () =>
    (await database.db.selectFrom("conversations").select("untold").where("id", "=", "left").execute())[0]
  releaseAnswer()
  await waitFor(async () => expect(await untold()).toEqual({ untold: 1 }))
  await talk.box.restart()
  expect(await listNotifications()).toEqual([])
  await sql`DROP TRIGGER refuse`.execute(database.db)
  await talk.box.restart()
  await waitFor(async () =>
    expect(await listNotifications()).toMatchObject([{ news: { kind: "answer_ready" } }]),
  )
  expect(await untold()).toEqual({ untold: 0 })
})
