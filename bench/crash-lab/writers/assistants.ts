import { everyPage, pageLength, reader, type Desk, type Writer } from "../writer.ts"
import { recordRemoval } from "./deletions.ts"

interface Helper {
  instructions: string
  enabled: boolean
}

const helpers = reader<Helper>("assistants", async ({ client }) => {
  const all = await everyPage(
    async (offset) => (await client.assistants.list({ query: { limit: pageLength, offset } })).assistants,
  )
  return all
    .filter(({ name }) => name.startsWith("helper"))
    .map(({ name, id, instructions, enabled }) => ({ name, id, state: { instructions, enabled } }))
})

const one = (desk: Desk) => desk.random.oneOf(helpers.of(desk).listExisting())

export const assistants: Writer<"assistants"> = {
  writes: {
    async create(desk) {
      const name = desk.name("helper")
      const instructions = desk.random.word()
      return helpers.of(desk).write({
        name,
        after: { instructions, enabled: true },
        send: async () => ({
          id: (await desk.client.assistants.create({ body: { name, instructions } })).assistant.id,
        }),
      })
    },
    async update(desk) {
      const entry = one(desk)
      if (!entry) return false
      const body = { instructions: desk.random.word(), enabled: desk.random() < 0.5 }
      const send = async () => void (await desk.client.assistants.update({ params: { id: entry.id }, body }))
      return helpers.of(desk).write({ name: entry.name, after: body, send })
    },
    async remove(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => {
        const { undo } = await desk.client.assistants.remove({ params: { id: entry.id } })
        recordRemoval(desk, helpers.of(desk), entry, undo)
      }
      return helpers.of(desk).write({ name: entry.name, after: null, send })
    },
  },
  readers: [helpers.reader],
}
