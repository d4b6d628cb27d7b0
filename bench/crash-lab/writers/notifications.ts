import { everyPage, pageLength, reader, type Desk, type Writer } from "../writer.ts"

interface NoticeState {
  description: string
  read: boolean
  seen: boolean
}

const notices = reader<NoticeState>("notifications", async ({ client }) => {
  const all = await everyPage(
    async (offset) =>
      (await client.notifications.list({ query: { limit: pageLength, offset } })).notifications,
  )
  return all
    .filter(({ title }) => title.startsWith("notice"))
    .map(({ title, id, description, read, seen }) => ({
      name: title,
      id,
      state: { description, read, seen },
    }))
})

const one = (desk: Desk) => desk.random.oneOf(notices.of(desk).listExisting())
const isRead = (state: NoticeState) => ({ ...state, read: true, seen: true })

/** Half of the sends repeat a key, which must not create a second row. */
function send(desk: Desk): Promise<boolean> {
  const again = desk.random() < 0.5 ? one(desk) : undefined
  const title = again?.name ?? desk.name("notice")
  const description = desk.random.word()
  return notices.of(desk).write({
    name: title,
    after: { description, read: false, seen: false },
    send: async () => {
      const body = { title, description, dedupeKey: title }
      return { id: (await desk.client.notifications.send({ body })).notification.id }
    },
  })
}

export const notifications: Writer<"notifications"> = {
  writes: {
    send,
    async update(desk) {
      const entry = one(desk)
      if (!entry?.state) return false
      const send = async () =>
        void (await desk.client.notifications.update({ params: { id: entry.id }, body: { read: true } }))
      return notices.of(desk).write({ name: entry.name, after: isRead(entry.state), send })
    },
    async markSeen(desk) {
      const entry = one(desk)
      if (!entry?.state) return false
      const after = { ...entry.state, seen: true }
      const send = async () => void (await desk.client.notifications.markSeen({ body: { ids: [entry.id] } }))
      return notices.of(desk).write({ name: entry.name, after, send })
    },
    async remove(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => void (await desk.client.notifications.remove({ params: { id: entry.id } }))
      return notices.of(desk).write({ name: entry.name, after: null, send })
    },
    markAllRead: (desk) => notices.of(desk).writeAll(isRead, () => desk.client.notifications.markAllRead()),
    patchAllRead: (desk) => notices.of(desk).writeAll(isRead, () => desk.client.notifications.patchAllRead()),
  },
  readers: [notices.reader],
}
