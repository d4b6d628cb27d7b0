import { remember } from "../model.ts"
import { reader, type Desk, type Writer } from "../writer.ts"
import { getAssistant, keeperName, drainEvents, ask } from "./chats.ts"

interface Waiting {
  content: string
}

/** Questions queued behind a call that no one decides about. */
const waiting = reader<Waiting>("queues", async ({ member }) => {
  const { chats } = await member.queue.chats()
  return chats.map(({ chatId, content }) => ({ name: chatId, id: chatId, state: { content } }))
})

const getEntry = async ({ member }: Desk, id: string) =>
  (await member.queue.list({ params: { id } })).entries[0]?.id ?? ""

export const queue: Writer<"queue"> = {
  writes: {
    async add(desk) {
      const { member } = desk
      if (!desk.callsTools) return false
      const keeper = await getAssistant(member, keeperName)
      const name = desk.name("queue")
      const content = desk.random.word()
      return waiting.of(desk).write({
        name,
        after: { content },
        send: async () => {
          await drainEvents(ask(member, name, [`${remember} ${name} ${desk.random.word()}`], keeper))
          await member.queue.add({ params: { id: name }, body: { content } })
          return { id: name }
        },
      })
    },
    async change(desk) {
      const entry = desk.random.oneOf(waiting.of(desk).listExisting())
      if (!entry) return false
      const content = desk.random.word()
      return waiting.of(desk).write({
        name: entry.name,
        after: { content },
        send: async () => {
          const entryId = await getEntry(desk, entry.name)
          await desk.member.queue.change({ params: { id: entry.name, entryId }, body: { content } })
        },
      })
    },
    async remove(desk) {
      const entry = desk.random.oneOf(waiting.of(desk).listExisting())
      if (!entry) return false
      return waiting.of(desk).write({
        name: entry.name,
        after: null,
        send: async () => {
          const entryId = await getEntry(desk, entry.name)
          await desk.member.queue.remove({ params: { id: entry.name, entryId } })
        },
      })
    },
    resume: { none: "Asks what waits, as `add` does; in the lab all that waits waits for an approval." },
  },
  readers: [waiting.reader],
}
