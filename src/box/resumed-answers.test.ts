import { afterEach, beforeEach, expect, test } from "vitest"
import type { Received } from "../shared/client/calls.ts"
import { createClient, type Client } from "../shared/client/http-client.ts"
import type { ChatEvent } from "../shared/contract/chat.ts"
import { of, getText } from "./features/chat/testing/tool-talk.ts"
import { startModelServer, type ModelServer, type Round } from "./testing/model-servers/model-server.ts"
import { startTeamBoxes, waitUntilStandby, type TeamBoxes } from "./testing/box-process.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

const postgres = { tags: "postgresql", timeout: 240_000 }
const boxAddress = "http://127.0.0.1"
const params = { chatId: "c1" }

let team: TeamBoxes
let model: ModelServer
/** The model's next answers; the last one is repeated. */
let rounds: Round[]
beforeEach(async () => {
  team = await startTeamBoxes()
  rounds = []
  model = await startModelServer(() => (rounds.length > 1 ? rounds.shift() : rounds[0]) ?? { text: "" })
})
afterEach(async () => {
  await team[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const begin = (name: string) => team.begin(name, {}, ["--model", model.baseUrl])
const getClient = ({ url: baseUrl }: { url: string }, key: string) =>
  createClient({ baseUrl, headers: { "x-api-key": key } })

type Question = Parameters<Client["chat"]["send"]>[0]["body"]

/** Sends a question and collects events until the box ends. */
function ask(client: Client, changes: Partial<Question> = {}) {
  const events: Received<ChatEvent>[] = []
  const messages = [{ role: "user" as const, content: "Do penguins swim?" }]
  const over = (async () => {
    try {
      for await (const event of client.chat.send({ body: { id: "c1", messages, boxAddress, ...changes } }))
        events.push(event)
    } catch {
      // The stream breaks when the box ends.
    }
  })()
  return { events, over }
}

/** All events of a joined stream; retries while the box is starting. */
const join = (client: Client, headers: Record<string, string> = {}): Promise<ChatEvent[]> =>
  waitFor(async () => {
    const events: ChatEvent[] = []
    for await (const event of client.chat.attach({ params }, { headers })) events.push(event)
    return events
  })

/** Waits until a part of the model's answer is stored. */
const waitUntilStored = (text: string) =>
  waitFor(async () => {
    const pieces = await team.asked(`SELECT parts FROM "answerPieces"`)
    expect(JSON.stringify(pieces)).toContain(text)
  })
const waitForRequests = (times: number) => waitFor(() => expect(model.requests).toHaveLength(times))

const getAnswer = async (client: Client) =>
  (await client.conversations.read({ params: { id: "c1" } })).chat.messages.at(-1)
const begunTurns = () => team.asked(`SELECT attempts::int FROM "begunTurns"`)

// Catches an answer that ends with its box, is sent on another stream than the joined one, or is sent, counted or notified twice.
test("an answer in progress when its box is killed is resumed by the standby box", postgres, async () => {
  rounds = [{ text: "Penguins swi", unended: true }, { text: ["Penguins ", "swim well."] }]
  const first = await begin("first").ready
  const owner = getClient(first, first.firstRunKey ?? "")
  await owner.quotas.setDefault({ body: { files: null, bytes: null, answers: 9, tokens: null } })
  const { key } = await owner.keys.create({ body: { name: "App", kind: "embedded" } })
  const waiting = await waitUntilStandby(begin("second"))
  const client = getClient(waiting, key)
  const { events, over } = ask(client)
  await waitUntilStored("Penguins swi")
  await waitFor(() => expect(getText(events)).toBe("Penguins swi"))
  await first.stop("SIGKILL")
  await over

  const joined = await join(client, { "last-event-id": events.at(-1)?.eventId ?? "" })
  expect(joined[0]).toMatchObject({
    type: "start",
    chatId: "c1",
    messageId: of(events, "start")[0]?.messageId,
  })
  expect(getText(joined)).toBe("Penguins swim well.")
  expect(joined.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" })
  expect(await client.chat.status({ params })).toMatchObject({ status: "completed", messageCount: 2 })
  expect(await getAnswer(client)).toMatchObject({
    content: "Penguins swim well.",
    parts: [{ type: "text", text: "Penguins swim well." }],
    finishReason: "stop",
  })
  expect(model.requests).toHaveLength(2)
  expect(await team.asked(`SELECT answers::int FROM "dailyUse"`)).toEqual([{ answers: 1 }])
  expect(await team.asked(`SELECT id FROM "answerPieces"`)).toEqual([])
  expect(await begunTurns()).toEqual([])
})

// Catches a box update that ends all answers, or counts as a failed attempt, and an end without a notification.
test(
  "an answer is resumed after its box is stopped normally, and its owner is notified once",
  postgres,
  async () => {
    rounds = [{ text: "Penguins swi", unended: true }]
    const first = await begin("first").ready
    const owner = getClient(first, first.firstRunKey ?? "")
    const { key } = await owner.keys.create({ body: { name: "App", kind: "embedded" } })
    const { over } = ask(getClient(first, key))
    await waitUntilStored("Penguins swi")
    await first.stop("SIGKILL")
    await over
    const second = await begin("second").ready
    await waitForRequests(2)
    expect(await begunTurns()).toEqual([{ attempts: 1 }])
    expect(await second.stop()).toBe(0)
    expect(await begunTurns()).toEqual([{ attempts: 0 }])

    rounds = [{ text: "Penguins swim well." }]
    const client = getClient(await begin("third").ready, key)
    await waitFor(async () =>
      expect(await getAnswer(client)).toMatchObject({ content: "Penguins swim well." }),
    )
    const notifications = async () => (await client.notifications.list({ query: {} })).notifications
    await waitFor(async () => expect(await notifications()).not.toEqual([]))
    expect(await notifications()).toHaveLength(1)
  },
)

// Catches a call that is repeated although it may have run, and a model that isn't informed.
test.each(["SIGKILL", "SIGTERM"] as const)(
  "a running call isn't repeated after %s",
  postgres,
  async (signal) => {
    const endless = { name: "codeInterpreter", args: { code: "while True: pass" } }
    rounds = [{ text: "Let me see. ", calls: [endless] }, { text: "I looked." }]
    const first = await begin("first").ready
    const key = first.firstRunKey ?? ""
    const client = getClient(await waitUntilStandby(begin("second")), key)
    const { over } = ask(client, { builtInTools: { codeInterpreter: true } })
    await waitUntilStored("while True")
    await first.stop(signal)
    await over

    const joined = await join(client)
    expect(getText(joined)).toBe("Let me see. I looked.")
    expect(of(joined, "tool-call")).toHaveLength(1)
    const unknown = expect.stringContaining("It is unknown whether this was done") as string
    expect(of(joined, "tool-result").map(({ result }) => result)).toEqual([{ error: unknown }])
    expect(model.requests).toHaveLength(2)
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: unknown })
    expect((await getAnswer(client))?.parts.map(({ type }) => type)).toEqual([
      "text",
      "tool-call",
      "tool-result",
      "text",
    ])
  },
)

/** Makes the database refuse updates of messages until it is disposed. */
async function refuseMessages(sqlState: string): Promise<AsyncDisposable> {
  const raise = `BEGIN RAISE EXCEPTION 'Not now.' USING ERRCODE = '${sqlState}'; END`
  await team.asked(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ ${raise} $$`)
  await team.asked("CREATE TRIGGER refused BEFORE UPDATE ON messages FOR EACH ROW EXECUTE FUNCTION refuse()")
  return { [Symbol.asyncDispose]: async () => void (await team.asked("DROP TRIGGER refused ON messages")) }
}

// Catches an answer that resumes although its owner was informed that it stopped, because its end couldn't be stored.
test("a stopped answer isn't resumed", postgres, async () => {
  rounds = [{ text: "Penguins swi", unended: true }]
  const first = await begin("first").ready
  const key = first.firstRunKey ?? ""
  const { over } = ask(getClient(first, key))
  await waitUntilStored("Penguins swi")
  {
    await using _ = await refuseMessages("P0001")
    expect(await getClient(first, key).chat.stop({ params })).toMatchObject({ success: true })
    await first.stop("SIGKILL")
    await over
  }
  const client = getClient(await begin("second").ready, key)
  expect(await client.chat.status({ params })).toMatchObject({ status: "error", isActive: false })
  expect(await getAnswer(client)).toMatchObject({ content: "Penguins swi", finishReason: "error" })
  expect(model.requests).toHaveLength(1)
})

// Catches an answer that ended while the database was unavailable, and is resumed much later by the next box.
test("the end of an answer is stored when the database is available again", postgres, async () => {
  rounds = [{ text: "Penguins swi", unended: true }]
  const first = await begin("first").ready
  const client = getClient(first, first.firstRunKey ?? "")
  const { over } = ask(client)
  await waitUntilStored("Penguins swi")
  {
    await using _ = await refuseMessages("57P03")
    await client.chat.stop({ params })
    await over
    expect(await getAnswer(client)).toMatchObject({ finishReason: null })
  }
  await waitFor(async () => expect(await getAnswer(client)).toMatchObject({ finishReason: "error" }))
})

// Catches a revoked key that still sends requests, because no box was running to end its answers.
test("an answer whose key was revoked in the meantime isn't resumed", postgres, async () => {
  rounds = [{ text: "Penguins swi", unended: true }]
  const first = await begin("first").ready
  const owner = first.firstRunKey ?? ""
  const { key, apiKey } = await getClient(first, owner).keys.create({ body: { name: "Script" } })
  const { over } = ask(getClient(first, key))
  await waitUntilStored("Penguins swi")
  await first.stop("SIGKILL")
  await over
  await team.asked(`DELETE FROM "apiKeys" WHERE id = '${apiKey.id}'`)

  const client = getClient(await begin("second").ready, owner)
  await waitFor(async () => expect(await client.chat.status({ params })).toMatchObject({ status: "aborted" }))
  expect(await getAnswer(client)).toMatchObject({ content: "Penguins swi", finishReason: "aborted" })
  expect(model.requests).toHaveLength(1)
})

// Catches text that is lost because the answer was to be regenerated, and an answer that ends one box after another for ever.
test("an answer that can't be resumed keeps its text", postgres, async () => {
  rounds = [{ text: "Penguins swi", unended: true }, { refusal: { status: 400, message: "Not this." } }]
  let box = await begin("box").ready
  const key = box.firstRunKey ?? ""
  const { over } = ask(getClient(box, key))
  await waitUntilStored("Penguins swi")
  await box.stop("SIGKILL")
  await over
  box = await begin("box").ready
  await waitFor(async () =>
    expect(await getClient(box, key).chat.status({ params })).toMatchObject({ status: "error" }),
  )
  const kept = await getAnswer(getClient(box, key))
  expect(kept?.parts).toMatchObject([
    { type: "text", text: "Penguins swi" },
    { type: "error", error: expect.stringContaining("Not this.") as string },
  ])

  rounds = [{ text: "Fish ", unended: true }]
  const messages = [{ role: "user" as const, content: "And fish?" }]
  const asked = ask(getClient(box, key), { id: "c2", messages })
  await waitUntilStored("Fish ")
  const before = model.requests.length
  for (const attempts of [1, 2]) {
    await box.stop("SIGKILL")
    box = await begin("box").ready
    await waitForRequests(before + attempts)
  }
  await asked.over
  await box.stop("SIGKILL")
  box = await begin("box").ready
  const last = getClient(box, key)
  expect(await last.chat.status({ params: { chatId: "c2" } })).toMatchObject({
    status: "error",
    isActive: false,
  })
  const { messages: stored } = (await last.conversations.read({ params: { id: "c2" } })).chat
  expect(stored.at(-1)).toMatchObject({ content: "Fish ", finishReason: "error" })
  expect(await begunTurns()).toEqual([])
})

// Catches a turn that only one box can decide on, or that is forgotten when it resumes, and a call that then runs again.
test("an answer that waited for approval is resumed by one box after another", postgres, async () => {
  const remember = { name: "memory", args: { action: "remember", text: "Likes penguins" } }
  rounds = [{ calls: [remember] }, { text: "I will rem", unended: true }, { text: "I will remember it." }]
  const first = await begin("first").ready
  const key = first.firstRunKey ?? ""
  const second = begin("second")
  const client = getClient(await waitUntilStandby(second), key)
  const { events, over } = ask(client, { builtInTools: { memory: true } })
  await over
  expect(events.at(-1)).toMatchObject({ finishReason: "tool-calls" })
  expect(await begunTurns()).toEqual([])
  await first.stop("SIGKILL")

  const { approvals } = await waitFor(() => client.chat.approvals({ params })) // retries while the box is starting
  const toolCallId = approvals[0]?.toolCallId ?? ""
  const allow = { params: { ...params, toolCallId }, body: { decision: "allow" as const } }
  expect(await client.chat.approve(allow)).toMatchObject({ success: true, resumed: true })
  await waitUntilStored("I will rem")
  await (await second.ready).stop("SIGKILL")

  const last = getClient(await begin("first").ready, key)
  const joined = await join(last)
  expect([of(joined, "tool-call").length, getText(joined)]).toEqual([1, "I will remember it."])
  expect((await last.memory.list()).memories).toHaveLength(1)
  expect(await getAnswer(last)).toMatchObject({ content: "I will remember it.", finishReason: "stop" })
})
