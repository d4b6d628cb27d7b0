import { everyPage, pageLength, reader, type Desk, type Writer } from "../writer.ts"
import { recordRemoval } from "./deletions.ts"

interface Project {
  instructions: string
}

const projectReader = reader<Project>("projects", async ({ client }) => {
  const all = await everyPage(
    async (offset) => (await client.projects.list({ query: { limit: pageLength, offset } })).projects,
  )
  return all
    .filter(({ name }) => name.startsWith("project"))
    .map(({ name, id, instructions }) => ({ name, id, state: { instructions } }))
})

const one = (desk: Desk) => desk.random.oneOf(projectReader.of(desk).listExisting())

export const projects: Writer<"projects"> = {
  writes: {
    async create(desk) {
      const name = desk.name("project")
      const instructions = desk.random.word()
      return projectReader.of(desk).write({
        name,
        after: { instructions },
        send: async () => ({
          id: (await desk.client.projects.create({ body: { name, instructions } })).project.id,
        }),
      })
    },
    async update(desk) {
      const entry = one(desk)
      if (!entry) return false
      const body = { instructions: desk.random.word() }
      const send = async () => void (await desk.client.projects.update({ params: { id: entry.id }, body }))
      return projectReader.of(desk).write({ name: entry.name, after: body, send })
    },
    async remove(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => {
        const { undo } = await desk.client.projects.remove({ params: { id: entry.id } })
        recordRemoval(desk, projectReader.of(desk), entry, undo)
      }
      return projectReader.of(desk).write({ name: entry.name, after: null, send })
    },
  },
  readers: [projectReader.reader],
}
