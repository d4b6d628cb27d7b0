import { maxWaitingTickets } from "../../../src/shared/contract/support.ts"
import { everyPage, pageLength, reader, type Desk, type Writer } from "../writer.ts"

interface Report {
  description: string
}

const reports = reader<Report>("support", async ({ client }) => {
  const all = await everyPage(
    async (offset) => (await client.support.list({ query: { limit: pageLength, offset } })).tickets,
  )
  return all.map(({ title, id, description }) => ({ name: title, id, state: { description } }))
})

const one = (desk: Desk) => desk.random.oneOf(reports.of(desk).listExisting())
const authServiceReason =
  "Takes an auth service; features/support/crash.test.ts kills the box while one takes its reports."

/** Runs without an auth service, so that reports wait. */
export const support: Writer<"support"> = {
  writes: {
    async create(desk) {
      if (reports.of(desk).listExisting().length >= maxWaitingTickets / 2) return false
      const body = { title: desk.name("report"), description: desk.random.word() }
      const send = async () => ({ id: (await desk.client.support.create({ body })).ticket.id })
      return reports.of(desk).write({ name: body.title, after: { description: body.description }, send })
    },
    async change(desk) {
      const entry = one(desk)
      if (!entry) return false
      const description = desk.random.word()
      const body = { title: entry.name, description }
      const send = async () => void (await desk.client.support.change({ params: { id: entry.id }, body }))
      return reports.of(desk).write({ name: entry.name, after: { description }, send })
    },
    async retry(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => void (await desk.client.support.retry({ params: { id: entry.id } }))
      return reports.of(desk).write({ name: entry.name, after: entry.state, send })
    },
    async remove(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => void (await desk.client.support.remove({ params: { id: entry.id } }))
      return reports.of(desk).write({ name: entry.name, after: null, send })
    },
    signIn: { none: authServiceReason },
    signOut: { none: authServiceReason },
  },
  readers: [reports.reader],
}
