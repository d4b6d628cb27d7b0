import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createClient, type Client } from "../../../shared/client/http-client.ts"
import type { Scope } from "../../../shared/contract/endpoint.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { getKey, signIn, tokenIn, type AppSession, connectApp } from "../../testing/clients.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

let box: TestBox
/** The person's devices. */
let app: Client
let phone: Client
let session: AppSession
beforeEach(async () => {
  box = await startTestBox()
  session = await signedIn()
  app = getClient(session)
  phone = getClient(await signedIn())
})
afterEach(() => box[Symbol.asyncDispose]())

async function signedIn(): Promise<AppSession> {
  const { user } = await box.client.account.me()
  const { links } = await box.client.people.signInLinks({ params: { id: user.id } })
  return signIn(box.url, tokenIn(links.local))
}
const getClient = (headers: Record<string, string>) => createClient({ baseUrl: box.url, headers })
const createScopedClient = async (...scopes: Scope[]): Promise<Client> =>
  box.getClient((await box.client.keys.create({ body: { name: scopes.join(), scopes } })).key)

const draft = { title: "Deploy?", choices: ["yes", "no"], expiresInSeconds: 600 }
type Draft = Parameters<Client["questions"]["ask"]>[0]["body"]
const ask = async (more: Partial<Draft> = {}, client = box.client) =>
  (await client.questions.ask({ body: { ...draft, ...more } })).question
const read = async (id: string, wait = 0, client = box.client) =>
  (await client.questions.read({ params: { id }, query: { wait } })).question
const answer = async (id: string, choice: string, client = app) =>
  (await client.questions.answer({ params: { id }, body: { choice } })).question
const createNotice = async (id: string) => {
  const { notifications } = await box.client.notifications.list()
  return notifications.find(({ question }) => question?.id === id)
}

describe("asking", () => {
  // Catches a question that its person isn't notified of, or whose choices are missing.
  it("notifies the person, with the choices and the sender", async () => {
    using connected = await connectApp(box.url, box.key)
    const question = await ask({ description: "Version 2", default: "no" })
    expect(question).toMatchObject({
      title: "Deploy?",
      description: "Version 2",
      choices: ["yes", "no"],
      default: "no",
      status: "open",
      answer: null,
      answeredAt: null,
    })
    expect(Date.parse(question.expiresAt) - Date.parse(question.createdAt)).toBe(600_000)
    const { notification, present } = await connected.next("notification")
    expect(present).toEqual({ toast: true, popup: true, badge: true })
    expect(notification).toMatchObject({
      title: "Deploy?",
      description: "Version 2",
      sender: { name: "First run" },
      question: { id: question.id, choices: ["yes", "no"], status: "open", answer: null },
    })
    expect((await box.client.questions.list()).questions[0]).toEqual(question)
  })

  // Catches limits that differ from the contract.
  it.each([
    [{ title: "" }, "title"],
    [{ title: "x".repeat(201) }, "title"],
    [{ description: "x".repeat(2001) }, "description"],
    [{ choices: ["yes"] }, "choices"],
    [{ choices: ["1", "2", "3", "4", "5", "6", "7"] }, "choices"],
    [{ choices: ["yes", "yes"] }, "choices"],
    [{ choices: ["yes", "x".repeat(41)] }, "choices.1"],
    [{ choices: ["yes", " "] }, "choices.1"],
    [{ default: "maybe" }, "default"],
    [{ expiresInSeconds: 9 }, "expiresInSeconds"],
    [{ expiresInSeconds: 604_801 }, "expiresInSeconds"],
    [{ expiresInSeconds: 10.5 }, "expiresInSeconds"],
  ] satisfies [Partial<Draft>, string][])("refuses %j", async (wrong, field) => {
    await expect(ask(wrong)).rejects.toMatchObject({ status: 400, details: [{ field }] })
  })

  // Catches a limit that is one too small.
  it("accepts the maximum length of every field", async () => {
    const choices = ["1", "2", "3", "4", "5"].map((digit) => digit.repeat(40))
    const maxLength = {
      title: "🙂".repeat(200),
      choices: [...choices, "🙂".repeat(40)],
      expiresInSeconds: 604_800,
    }
    const question = await ask({ ...maxLength, default: "🙂".repeat(40) })
    expect(question).toMatchObject({ choices: maxLength.choices, title: maxLength.title })
    await answer(question.id, "🙂".repeat(40))
    expect((await ask({ default: null, description: null, expiresInSeconds: 10 })).default).toBeNull()
  })
})

describe("an answer", () => {
  // Catches a script that learns of its answer only when its wait is over, and devices that still offer the choices.
  it("reaches all waiting callers and all devices at once", async () => {
    using connected = await connectApp(box.url, box.key)
    const { id } = await ask({ title: "Which one?" })
    const waiting = Promise.all([read(id, 60), read(id, 60)])
    const answered = await answer(id, "no")
    expect(answered).toMatchObject({ status: "answered", answer: "no" })
    expect(await waiting).toEqual([answered, answered])
    const { notification } = await connected.next("notification.updated")
    expect(notification).toMatchObject({
      read: true,
      question: { id, status: "answered", answer: "no" },
    })
    expect((await box.client.questions.list()).questions.map((one) => one.id)).not.toContain(id)
  })

  // Catches two devices that each believe their answer was accepted.
  it("from the first of two devices is accepted; the other device gets an error", async () => {
    const { id } = await ask()
    const outcomes = await Promise.allSettled([answer(id, "yes"), answer(id, "no", phone)])
    const won = outcomes.filter((outcome) => outcome.status === "fulfilled").map(({ value }) => value.answer)
    expect(won).toHaveLength(1)
    const lost = outcomes.find((outcome) => outcome.status === "rejected")
    expect(lost?.reason).toMatchObject({ status: 409, message: `This was already answered: "${won[0]}".` })
    expect((await read(id)).answer).toBe(won[0])
    await expect(answer(id, won[0] ?? "")).rejects.toMatchObject({ status: 409 })
  })

  // Catches a script that answers a question for a person.
  it("can come only from the app, and must be one of the choices", async () => {
    const { id } = await ask()
    await expect(answer(id, "yes", box.client)).rejects.toMatchObject({ status: 403 })
    await expect(answer(id, "yes", await createScopedClient("notify"))).rejects.toMatchObject({ status: 403 })
    await expect(answer(id, "maybe")).rejects.toMatchObject({ status: 400, details: [{ field: "choice" }] })
    await expect(answer("nothing", "yes")).rejects.toMatchObject({ status: 404 })
    expect((await read(id)).status).toBe("open")
  })

  // Catches a question that can't be answered or doesn't expire after its notification is deleted.
  it("is accepted even if the notification was deleted", async () => {
    const { id } = await ask()
    await box.client.notifications.remove({ params: { id: (await createNotice(id))?.id ?? "" } })
    expect((await answer(id, "yes")).answer).toBe("yes")
  })
})

describe("waiting", () => {
  // Catches a wait that ends with an error, or never.
  it("ends with the question's current state when the time is over", async () => {
    const { id } = await ask()
    expect((await read(id, 1)).status).toBe("open")
    await expect(read(id, 61)).rejects.toMatchObject({ status: 400 })
  })

  // Catches a key that still receives answers after it was revoked, and waits that never end.
  it("ends when its key is revoked", async () => {
    const { key, apiKey } = await box.client.keys.create({ body: { name: "Deploys" } })
    const client = box.getClient(key)
    const { id } = await ask()
    const ended = expect(read(id, 60, client)).rejects.toMatchObject({ code: "unavailable" })
    await waitFor(async () => {
      const { keys } = await box.client.keys.list()
      expect(keys.find((one) => one.id === apiKey.id)?.lastUsedAt).not.toBeNull()
    })
    await box.client.keys.revoke({ params: { id: apiKey.id } })
    await ended
    await expect(read(id, 0, client)).rejects.toMatchObject({ status: 401 })
  })
})

describe("permissions", () => {
  // Catches scopes that can't ask or read enough, or that can read other keys' questions.
  it.each(["notify", "assistants"] as const)(
    "a key for %s can ask and read its own questions",
    async (scope) => {
      const client = await createScopedClient(scope)
      const mine = await ask({ title: "Mine" }, client)
      const others = await ask({ title: "Not mine" })
      expect(await read(mine.id, 0, client)).toEqual(mine)
      expect((await client.questions.list()).questions).toEqual([mine])
      await expect(read(others.id, 0, client)).rejects.toMatchObject({ status: 404 })
    },
  )

  // Catches other scopes that can ask, or that can't read what they should.
  it("a key for reading can read but not ask; a key for folders can do neither", async () => {
    const { id } = await ask()
    const reader = await createScopedClient("read-only")
    expect((await read(id, 0, reader)).id).toBe(id)
    await expect(ask({}, reader)).rejects.toMatchObject({ status: 403 })
    await expect(read(id, 0, await createScopedClient("folders"))).rejects.toMatchObject({ status: 403 })
  })

  // Catches another person's question that is shown, counted or answered by this user's app.
  it("another user can't see, answer or wait for a question", async () => {
    const { links } = await box.client.people.add({ body: { email: "other@example.com", name: "Other" } })
    const theirs = await signIn(box.url, tokenIn(links.local))
    const other = getClient(theirs)
    const { id } = await ask()
    await expect(answer(id, "yes", other)).rejects.toMatchObject({ status: 404 })
    await expect(read(id, 60, box.getClient(await getKey(box.url, theirs)))).rejects.toMatchObject({
      status: 404,
    })
    expect((await other.questions.list()).pagination.total).toBe(0)
    expect((await read(id)).status).toBe("open")
  })
})

// Catches a looping script that floods the person and the database.
it("a person has at most 100 open questions", async () => {
  const { client } = box
  for (let count = 0; count < 100; count++) await ask({ title: `Question ${count}` })
  const before = (await client.notifications.list()).pagination.total
  await expect(ask()).rejects.toMatchObject({ status: 409 })
  expect((await client.notifications.list()).pagination.total).toBe(before)
  const [newest] = (await client.questions.list()).questions
  await answer(newest?.id ?? "", "yes")
  expect((await ask()).status).toBe("open")
})

// Catches an error in a format other than the API's.
it("an unknown question is a 404", async () => {
  const error: unknown = await read("nothing").catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ status: 404 })
})
