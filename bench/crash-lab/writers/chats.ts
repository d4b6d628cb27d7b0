import { setTimeout as pause } from "node:timers/promises"
import type { ChatEvent } from "../../../src/shared/contract/chat.ts"
import { answerTo, calculate, endless, remember, runPython, scriptedAnswer } from "../model.ts"
import { everyPage, following, pageLength, reader, type Desk, type Writer } from "../writer.ts"
import { recordRemoval } from "./deletions.ts"

interface Talk {
  title: string
  pinned: boolean
  /** Text of each message, starting with a question. */
  texts: string[]
}

const talks = reader<Talk>("chats", async ({ client }) => {
  const chats = await everyPage(
    async (offset) => (await client.conversations.list({ query: { limit: pageLength, offset } })).chats,
  )
  const own = chats.filter(({ id }) => id.startsWith("chat"))
  return Promise.all(
    own.map(async ({ id, title, pinned }) => ({
      name: id,
      id,
      state: { title, pinned, texts: await saidIn(client, id) },
    })),
  )
})

const saidIn = async (client: Desk["client"], id: string) =>
  (await client.conversations.read({ params: { id } })).chat.messages.map(({ content }) => content)

/** A tool call that waits for its owner's approval: it runs once, and not before. */
interface Asked {
  waiting: number
  remembered: number
}

const asked = reader<Asked>("approvals", async ({ member }) => {
  const memories = await everyPage(
    async (offset) => (await member.memory.list({ query: { limit: pageLength, offset } })).memories,
  )
  const chats = await everyPage(
    async (offset) => (await member.conversations.list({ query: { limit: pageLength, offset } })).chats,
  )
  const own = chats.filter(({ id }) => id.startsWith("asked"))
  return Promise.all(
    own.map(async ({ id }) => {
      const { approvals } = await member.chat.approvals({ params: { chatId: id } })
      const remembered = memories.filter(({ text }) => text.startsWith(`${id} `)).length
      return { name: id, id, state: { waiting: approvals.length, remembered } }
    }),
  )
})

/** Chats forked from the messages of another, by title: each has all of those messages or doesn't exist. */
const forks = reader<{ texts: string[] }>("forks", async ({ client }) => {
  const chats = await everyPage(
    async (offset) => (await client.conversations.list({ query: { limit: pageLength, offset } })).chats,
  )
  const own = chats.filter(({ title }) => title.startsWith("fork"))
  return Promise.all(
    own.map(async ({ id, title }) => ({ name: title, id, state: { texts: await saidIn(client, id) } })),
  )
})

/** Folders of chats that were never started. A second request for one must return the same folder. */
const attachments = reader<{ folder: string }>("chat folders", async (desk) => {
  const found = []
  for (const { name, id, state } of desk.ledger.book<{ folder: string }>("chat folders").entries()) {
    if (state === null) continue
    const { vector } = await desk.client.conversations.folder({ params: { id: name } })
    found.push({ name, id, state: { folder: vector.id } })
  }
  return found
})

const pollMs = 10
export const keeperName = "Keeper"
const reckonerName = "Reckoner"

export function ask(client: Desk["client"], id: string, texts: string[], assistantId?: string) {
  const messages = texts.map((content, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content,
  }))
  const boxAddress = "http://127.0.0.1"
  const body = { id, messages, boxAddress, ...(assistantId === undefined ? {} : { assistantId }) }
  return client.chat.send({ body })
}

/** Some questions start a tool's process; Python takes seconds to start. */
function getQuestion({ random }: Desk): string {
  const chance = random()
  if (chance < 0.05) return runPython
  return chance < 0.3 ? calculate : "What of"
}

export async function getAssistant(client: Desk["client"], name: string): Promise<string | undefined> {
  const { assistants } = await client.assistants.list()
  return assistants.find((one) => one.name === name)?.id
}

/** Throws if the answer didn't complete. */
export async function drainEvents(events: AsyncIterable<ChatEvent>): Promise<void> {
  for await (const event of events)
    if (event.type === "finish" && ["stop", "tool-calls"].includes(event.finishReason)) return
  throw new Error("The answer didn't come to its end.")
}

/** After a cut answer, the question is there or not, with as much of the answer as was stored. */
const cutAnswer = (before: Talk | null, question: string, answer: string) => (found: Talk | null) => {
  if (found === null) return false
  const [texts, asked, started, ...more] = [
    found.texts.slice(0, before?.texts.length ?? 0),
    ...found.texts.slice(before?.texts.length ?? 0),
  ]
  return (
    JSON.stringify(texts) === JSON.stringify(before?.texts ?? []) &&
    asked === question &&
    answer.startsWith(started ?? "") &&
    more.length === 0
  )
}

/** Chats that ended normally and can continue. */
const whole = (desk: Desk) =>
  talks
    .of(desk)
    .listExisting()
    .filter(({ state }) =>
      state?.texts.every(
        (text, index, all) =>
          index % 2 === 0 || text === scriptedAnswer || text === answerTo(all[index - 1] ?? ""),
      ),
    )
    .filter(({ state }) => (state?.texts.length ?? 1) % 2 === 0)

export const chat: Writer<"chat"> = {
  async setUp({ client, member }) {
    await member.assistants.create({
      body: { name: keeperName, builtInTools: { memory: true }, permissionMode: "ask" },
    })
    const builtInTools = { calculate: true, codeInterpreter: true }
    await client.assistants.create({ body: { name: reckonerName, builtInTools } })
  },
  writes: {
    async send(desk) {
      const going = desk.random() < 0.5 ? desk.random.oneOf(whole(desk)) : undefined
      const name = going?.name ?? desk.name("chat")
      const question = `${getQuestion(desk)} ${desk.random.word()}?`
      const before = going?.state ?? null
      const texts = [...(before?.texts ?? []), question]
      const after = {
        title: before?.title ?? question,
        pinned: before?.pinned ?? false,
        texts: [...texts, desk.answerTo(question)],
      }
      return talks.of(desk).write({
        name,
        after,
        between: cutAnswer(before, question, desk.answerTo(question)),
        send: async () => {
          await drainEvents(ask(desk.client, name, texts, await getAssistant(desk.client, reckonerName)))
          return { id: name }
        },
      })
    },
    async stop(desk) {
      const name = desk.name("chat")
      const question = `${endless} ${desk.random.word()}!`
      const state = { title: question, pinned: false, texts: [question] }
      return talks.of(desk).write({
        name,
        after: state,
        between: (found) => found?.texts[0] === question && found.texts.length <= 2,
        send: async () => {
          let stopped = false
          for await (const event of ask(desk.client, name, [question])) {
            if (event.type === "error") throw new Error(`The answer isn't stored yet: ${event.error}`)
            if (stopped || !event.type.startsWith("text")) continue
            stopped = true
            await following(desk.client.chat.stop({ params: { chatId: name } }))
          }
          return { id: name, state: { ...state, texts: await following(saidIn(desk.client, name)) } }
        },
      })
    },
    async approve(desk) {
      const { member } = desk
      if (!desk.callsTools) return false
      const keeper = await getAssistant(member, keeperName)
      const name = desk.name("asked")
      const parked = await asked.of(desk).write({
        name,
        after: { waiting: 1, remembered: 0 },
        between: (found) => found?.remembered === 0,
        send: async () => {
          await drainEvents(ask(member, name, [`${remember} ${name} ${desk.random.word()}`], keeper))
          return { id: name }
        },
      })
      const waiting = asked
        .of(desk)
        .listExisting()
        .filter(({ state }) => state?.waiting === 1)
      const entry = desk.random.oneOf(waiting)
      if (!parked || !entry) return false
      const params = { chatId: entry.name }
      return asked.of(desk).write({
        name: entry.name,
        after: { waiting: 0, remembered: 1 },
        between: (found) => found?.waiting === 0 && found.remembered === 0,
        send: async () => {
          const toolCallId = (await member.chat.approvals({ params })).approvals[0]?.toolCallId ?? ""
          await member.chat.approve({ params: { ...params, toolCallId }, body: { decision: "allow" } })
          while ((await following(member.chat.status({ params }))).isActive) await pause(pollMs)
          const { parts } =
            (await following(member.conversations.read({ params: { id: entry.name } }))).chat.messages.at(
              -1,
            ) ?? {}
          const hasFailed = parts?.some(
            (part) => part.type === "tool-result" && JSON.stringify(part.result).includes("error"),
          )
          return hasFailed === true ? { state: { waiting: 0, remembered: 0 } } : {}
        },
      })
    },
    estimateReading: { none: "Counts; nothing is stored." },
    prepare: { none: "Has the model read ahead; nothing is stored." },
  },
  readers: [talks.reader, asked.reader],
}

export const conversations: Writer<"conversations"> = {
  writes: {
    async update(desk) {
      const entry = desk.random.oneOf(talks.of(desk).listExisting())
      if (!entry?.state) return false
      const body = { title: desk.random.word(), pinned: desk.random() < 0.5 }
      const send = async () =>
        void (await desk.client.conversations.update({ params: { id: entry.name }, body }))
      return talks.of(desk).write({ name: entry.name, after: { ...entry.state, ...body }, send })
    },
    async remove(desk) {
      const entry = desk.random.oneOf(talks.of(desk).listExisting())
      if (!entry) return false
      const send = async () => {
        const { undo } = await desk.client.conversations.remove({ params: { id: entry.name } })
        recordRemoval(desk, talks.of(desk), entry, undo)
      }
      return talks.of(desk).write({ name: entry.name, after: null, send })
    },
    removeSeveral: { none: "`remove` hides in the same write, of one." },
    async fork(desk) {
      const entry = desk.random.oneOf(whole(desk))
      if (!entry?.state) return false
      const { texts } = entry.state
      const read = await desk.client.conversations.read({ params: { id: entry.name } })
      const messageId = read.chat.messages.at(-1)?.id
      if (messageId === undefined) return false
      const title = desk.name("fork")
      const send = async () => {
        const forked = desk.client.conversations.fork({
          params: { id: entry.name },
          body: { messageId, title },
        })
        return { id: (await forked).chat.id }
      }
      return forks.of(desk).write({ name: title, after: { texts }, send })
    },
    async folder(desk) {
      const name = desk.name("attached")
      return attachments.of(desk).write({
        name,
        after: { folder: "" },
        send: async () => {
          const { id } = (await desk.client.conversations.folder({ params: { id: name } })).vector
          return { id, state: { folder: id } }
        },
      })
    },
  },
  readers: [attachments.reader, forks.reader],
}
