import type { OpenDatabase } from "../../core/database/database.ts"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../shared/client/http-client.ts"
import { signIn, tokenIn, type AppSession } from "../../testing/clients.ts"
import { addUser, startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"
import { createKeys } from "./keys.ts"
import { createPeople } from "./people.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

/** A model that starts each answer and never ends it. */
const model = createServer((request, response) => {
  if (request.url === "/v1/models") return void response.end(JSON.stringify({ data: [{ id: "endless" }] }))
  request.resume()
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "On" } }] })}\n\n`)
})

let box: TestBox
beforeAll(async () => {
  await once(model.listen(0, "127.0.0.1"), "listening")
  box = await startTestBox({ model: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1` })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  model.closeAllConnections()
  model.close()
})

const messages = [{ role: "user" as const, content: "Go on." }]

/** Asks a question and disconnects as soon as the answer has started. */
async function askAndLeave(client: Client, id: string): Promise<void> {
  for await (const event of client.chat.send({ body: { id, messages, boxAddress: box.url } }))
    if (event.type === "text-delta") return
}

async function withOtherConnection<T>(
  work: (accounts: ReturnType<typeof createOtherAccounts>) => Promise<T>,
): Promise<T> {
  await using database = await getRows(box.dataDir)
  return await work(createOtherAccounts(database))
}
const createOtherAccounts = ({ db }: OpenDatabase) => ({
  db,
  people: createPeople(db),
  keys: createKeys(db, () => undefined),
})

/** Waits until a chat's stream is stored as ended. */
const ends = (chatId: string) =>
  waitFor(() =>
    withOtherConnection(async ({ db }) => {
      const row = await db.selectFrom("conversations").selectAll().where("id", "=", chatId).executeTakeFirst()
      expect(row?.streamStatus).toBe("aborted")
    }),
  )

describe("An answer in progress", () => {
  // Catches a model that keeps writing and calling tools for a user who was disabled.
  it.each(["the API", "another process"])("ends when its owner is disabled by %s", async (way) => {
    const email = `${way.replace(" ", "-")}@example.com`
    const client = await addUser(box, email)
    const { user } = await client.account.me()
    const session = await signInAs(user.id)
    const asked = await fetch(`${box.url}/api/ai/chat`, {
      method: "POST",
      headers: { ...session, "content-type": "application/json" },
      body: JSON.stringify({ id: email, messages, boxAddress: box.url }),
    })
    const { value } = (await asked.body?.getReader().read()) ?? {}
    expect(Buffer.from(value ?? []).toString()).toContain('"start"')
    if (way === "the API")
      await box.client.people.update({ params: { id: user.id }, body: { disabled: true } })
    else await withOtherConnection(({ people }) => people.change(user.id, { disabled: true }))
    await ends(email)
  })

  // Catches a question that is still processed after its key was revoked, because no client is connected any more.
  it.each(["the API", "another process"])(
    "ends when the key that started it is revoked by %s",
    async (way) => {
      const { key, apiKey } = await box.client.keys.create({ body: { name: way } })
      await askAndLeave(box.getClient(key), `key ${way}`)
      await askAndLeave(box.client, `other ${way}`)
      if (way === "the API") await box.client.keys.revoke({ params: { id: apiKey.id } })
      else await withOtherConnection(({ keys }) => keys.revoke(null, apiKey.id))
      await ends(`key ${way}`)
      const status = (chatId: string) => box.client.chat.status({ params: { chatId } })
      expect((await status(`other ${way}`)).isActive).toBe(true)
      await box.client.chat.stop({ params: { chatId: `other ${way}` } })
    },
  )
})

async function signInAs(userId: string): Promise<AppSession> {
  const { links } = await box.client.people.signInLinks({ params: { id: userId } })
  return signIn(box.url, tokenIn(links.local))
}
