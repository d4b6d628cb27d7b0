import { sessionCookie } from "../../../src/box/http/authenticate.ts"
import { sessionSecretHeader } from "../../../src/shared/contract/session.ts"
import { type AppSession, exchange, getSession, tokenIn } from "../../../src/box/testing/clients.ts"
import { AppError } from "../../../src/shared/contract/errors.ts"
import { reader, type Desk, type Writer } from "../writer.ts"
import { Sentence } from "../../../src/shared/sentences/sentence.ts"

/** The id of a session is the data that its browser keeps. */
const sessions = reader<"in">("sessions", async (desk) => {
  const found = []
  for (const { name, id } of desk.ledger.book<"in">("sessions").entries()) {
    if (id !== "" && (await fetchAs(desk, id, "GET", "/api/public/me")).ok) {
      found.push({ name, id, state: "in" as const })
    }
  }
  return found
})

/** Sends a request as that session's browser. The port, and with it the cookie's name, may have changed since. */
function fetchAs({ url }: Desk, id: string, method: string, path: string): Promise<Response> {
  const { cookie: set, [sessionSecretHeader]: secret } = JSON.parse(id) as AppSession
  const cookie = `${sessionCookie(Number(new URL(url).port))}=${set.split("=")[1]}`
  return fetch(url + path, { method, headers: { origin: url, cookie, [sessionSecretHeader]: secret } })
}

const ownKeys = reader<{ scopes: string[] | null }>("keys", async ({ client }) =>
  (await client.keys.list()).keys
    .filter(({ name }) => name.startsWith("key"))
    .map(({ name, id, scopes }) => ({ name, id, state: { scopes } })),
)

interface Member {
  name: string
  disabled: boolean
}

const members = reader<Member>("people", async ({ client }) =>
  (await client.people.list()).people
    .filter(({ email }) => email.startsWith("person"))
    .map(({ email, id, name, disabledAt }) => ({
      name: email,
      id,
      state: { name, disabled: disabledAt !== null },
    })),
)

export const account: Writer<"account"> = {
  writes: {
    async signIn(desk) {
      const { user } = await desk.client.account.me()
      const link = await desk.client.people.signInLinks({ params: { id: user.id } })
      const send = async () => {
        const answer = await exchange(desk.url, tokenIn(link.links.local))
        if (!answer.ok)
          throw new AppError("unauthorized", Sentence.asIs(`Signing in answered ${answer.status}.`))
        return { id: JSON.stringify(await getSession(desk.url, answer)) }
      }
      return sessions.of(desk).write({ name: desk.name("session"), after: "in", send })
    },
    async signOut(desk) {
      const entry = desk.random.oneOf(sessions.of(desk).listExisting())
      if (!entry) return false
      const send = async () => {
        const answer = await fetchAs(desk, entry.id, "DELETE", "/api/public/session")
        if (!answer.ok) throw new Error(`Signing out answered ${answer.status}.`)
      }
      return sessions.of(desk).write({ name: entry.name, after: null, send })
    },
    download: { none: "A ticket lives in memory for a minute, and is asked for again." },
  },
  readers: [sessions.reader],
}

export const keys: Writer<"keys"> = {
  writes: {
    async create(desk) {
      const name = desk.name("key")
      const scopes = desk.random() < 0.5 ? null : (["notify"] as const)
      const body = { name, scopes: scopes && [...scopes] }
      const send = async () => ({ id: (await desk.client.keys.create({ body })).apiKey.id })
      return ownKeys.of(desk).write({ name, after: { scopes: body.scopes }, send })
    },
    async revoke(desk) {
      const entry = desk.random.oneOf(ownKeys.of(desk).listExisting())
      if (!entry) return false
      const send = async () => void (await desk.client.keys.revoke({ params: { id: entry.id } }))
      return ownKeys.of(desk).write({ name: entry.name, after: null, send })
    },
  },
  readers: [ownKeys.reader],
}

export const people: Writer<"people"> = {
  writes: {
    async add(desk) {
      const email = `${desk.name("person")}@lab.example`
      const send = async () => ({
        id: (await desk.client.people.add({ body: { name: "New", email } })).person.id,
      })
      return members.of(desk).write({ name: email, after: { name: "New", disabled: false }, send })
    },
    async update(desk) {
      const entry = desk.random.oneOf(
        members
          .of(desk)
          .listExisting()
          .filter(({ state }) => !state?.disabled),
      )
      if (!entry) return false
      const body = { name: desk.random.word(), disabled: desk.random() < 0.3 }
      const send = async () => void (await desk.client.people.update({ params: { id: entry.id }, body }))
      return members.of(desk).write({ name: entry.name, after: body, send })
    },
    signInLinks: {
      none: "A link lives for five minutes; account.signIn makes one each time and uses it up.",
    },
  },
  readers: [members.reader],
}
