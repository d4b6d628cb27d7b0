import { following, reader, type Desk, type Writer } from "../writer.ts"
import { recordRemoval } from "./deletions.ts"

interface Shelf {
  description: string
  files: number
}

const shelves = reader<Shelf>("folders", async ({ client }) => {
  const { vectors } = await client.folders.list()
  return vectors
    .filter(({ name }) => name.startsWith("shelf"))
    .map(({ name, id, description, fileCount }) => ({ name, id, state: { description, files: fileCount } }))
})

const one = (desk: Desk) => desk.random.oneOf(shelves.of(desk).listExisting())

/** Each folder gets a file, so that deleting it also deletes passages. */
export const folders: Writer<"folders"> = {
  writes: {
    async create(desk) {
      const name = desk.name("shelf")
      const description = desk.random.word()
      return shelves.of(desk).write({
        name,
        after: { description, files: 1 },
        between: (found) => found?.description === description && found.files === 0,
        send: async () => {
          const { id } = (await desk.client.folders.create({ body: { name, description } })).vector
          const file = new Blob([`A note in ${name}.`])
          await following(desk.client.files.upload({ params: { id }, file, fileName: "note.txt" }))
          return { id }
        },
      })
    },
    async update(desk) {
      const entry = one(desk)
      if (!entry?.state) return false
      const description = desk.random.word()
      const send = async () =>
        void (await desk.client.folders.update({ params: { id: entry.id }, body: { description } }))
      return shelves.of(desk).write({ name: entry.name, after: { ...entry.state, description }, send })
    },
    async remove(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => {
        const { undo } = await desk.client.folders.remove({ params: { id: entry.id } })
        recordRemoval(desk, shelves.of(desk), entry, undo)
      }
      return shelves.of(desk).write({ name: entry.name, after: null, send })
    },
    forgetMissing: {
      none: "Takes a directory that loses files; features/files/following/missing-files.test.ts has some.",
    },
  },
  readers: [shelves.reader],
}
