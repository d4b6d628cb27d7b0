import { rowsOf } from "./testing/test-box.ts"
import { sql } from "kysely"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import { signIn, tokenIn } from "./testing/app-session.ts"
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
let letSpeak: () => void
beforeEach(async () => {
  talk = await startReadingTalk()
  const spoken = Promise.withResolvers<void>()
  letSpeak = spoken.resolve
  talk.speak = async (request) => {
    await spoken.promise
    return echo(request)
  }
  folder = await talk.makeFolder({ "a.md": "The canary one.", "b.md": "The canary two." })
})
afterEach(() => talk[Symbol.asyncDispose]())

/** The page of the box's owner. */
async function appOf({ box }: ReadingTalk): Promise<Client> {
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

/** Asks as the page does, and leaves once it is being read. */
async function askAndLeave(app: Client, id: string): Promise<void> {
  for await (const event of app.chat.send({ body: question(id) })) if (event.type === "progress") return
}

const told = async () =>
  (await talk.box.client.notifications.list({})).notifications.filter(({ chatId }) => chatId !== null)

// Would catch: reading that ends with the window, an end that nobody is told of, or twice, and one that doesn't say how much was read.
test("reading goes on without the window, and its end is told once, with what was read", async () => {
  const app = await appOf(talk)
  await askAndLeave(app, "left")
  expect(await app.chat.status({ params: { chatId: "left" } })).toMatchObject({ isActive: true })
  letSpeak()
  await waitFor(async () => expect(await told()).toHaveLength(1))
  const read = { amounts: [{ unit: "line", read: 2, of: 2 }], files: 2, skipped: 0, partly: 0 }
  expect(await told()).toMatchObject([
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
  expect(await told()).toHaveLength(1)
})

// Would catch: a notification of what is being looked at.
test("whoever follows it to its end isn't told", async () => {
  const app = await appOf(talk)
  letSpeak()
  for await (const _ of app.chat.send({ body: question("followed") }));
  await talk.box.restart()
  expect(await told()).toEqual([])
})

// Would catch: a night's reading that ended with the box, which its owner waits for in vain.
test("reading that is cut off with the box is told of, with what was read by then", async () => {
  await askAndLeave(await appOf(talk), "cut")
  await talk.box.restart()
  expect(await told()).toMatchObject([
    { chatId: "cut", type: "error", news: { kind: "answer_failed", read: { files: 2, skipped: 2 } } },
  ])
})

// Would catch: an answer that a crash cut off, which stands in its chat while its owner waits to be told.
test("an answer that was open when the box died is told of at the next start, once", async () => {
  const app = await appOf(talk)
  letSpeak()
  for await (const _ of app.chat.send({ body: question("crashed") }));
  {
    await using database = await rowsOf(talk.box.dataDir)
    await database.db.updateTable("conversations").set({ streamStatus: "active" }).execute()
  }
  await talk.box.restart()
  await waitFor(async () =>
    expect(await told()).toMatchObject([{ chatId: "crashed", news: { kind: "answer_failed" } }]),
  )
  await talk.box.restart()
  expect(await told()).toHaveLength(1)
})

// Would catch: an end that was stored, or closed after a crash, right before the box died, and of which nobody is told any more.
test("an end that the box could no longer tell of is told at the next start, once, with what was read", async () => {
  const app = await appOf(talk)
  letSpeak()
  for await (const _ of app.chat.send({ body: question("untold") }));
  {
    await using database = await rowsOf(talk.box.dataDir)
    await database.db.updateTable("conversations").set({ untold: 1 }).execute()
  }
  await talk.box.restart()
  await waitFor(async () =>
    expect(await told()).toMatchObject([
      { chatId: "untold", news: { kind: "answer_ready", read: { files: 2, skipped: 0 } } },
    ]),
  )
  const [first] = await told()
  await talk.box.restart()
  expect(await told()).toEqual([first])
})

// Would catch: an end that is stored without that it is to be told, so that it is lost where the box dies right then.
test("that an end is to be told is stored with it, and no longer once it is", async () => {
  await askAndLeave(await appOf(talk), "left")
  await using database = await rowsOf(talk.box.dataDir)
  await sql`CREATE TRIGGER refuse BEFORE INSERT ON notifications BEGIN SELECT RAISE(ABORT, 'no'); END`.execute(
    database.db,
  )
  const untold = async () =>
    (await database.db.selectFrom("conversations").select("untold").where("id", "=", "left").execute())[0]
  letSpeak()
  await waitFor(async () => expect(await untold()).toEqual({ untold: 1 }))
  await talk.box.restart()
  expect(await told()).toEqual([])
  await sql`DROP TRIGGER refuse`.execute(database.db)
  await talk.box.restart()
  await waitFor(async () => expect(await told()).toMatchObject([{ news: { kind: "answer_ready" } }]))
  expect(await untold()).toEqual({ untold: 0 })
})
