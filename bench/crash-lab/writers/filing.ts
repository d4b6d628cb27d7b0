import type { Filing, FilingDraft } from "../../../src/shared/contract/filing.ts"
import { reader, type Desk, type Writer } from "../writer.ts"

/** State of a file, which is identified by its text, whatever its name and folder. */
interface Filed {
  folder: string
  name: string
  tags: string
}

const folders = ["Filed", "Filed elsewhere"] as const
const fileCount = 12
const maxListed = 500

const filed = reader<Filed>("filing", async ({ client }) => {
  const { vectors } = await client.folders.list()
  const found = folders.map(async (folder) => {
    const id = vectors.find(({ name }) => name === folder)?.id ?? ""
    const { files } = await client.files.list({ params: { id }, query: { limit: maxListed } })
    return Promise.all(
      files.map(async ({ id: fileId, name, tags = [] }) => ({
        name: await (await client.files.content({ params: { id, fileId } })).text(),
        id: fileId,
        state: { folder, name, tags: tags.join() },
      })),
    )
  })
  return (await Promise.all(found)).flat()
})

const getId = async ({ client }: Desk, folder: string): Promise<string> =>
  (await client.folders.list()).vectors.find(({ name }) => name === folder)?.id ?? ""

const one = (desk: Desk) => desk.random.oneOf(filed.of(desk).listExisting())

/** The newest change at each desk, by ledger, with the states before and after it. */
const newest = new WeakMap<object, { filing: Filing; text: string; was: Filed; became: Filed }>()

export const filing: Writer<"filing"> = {
  async setUp(desk) {
    const { client } = desk
    for (const name of folders) await client.folders.create({ body: { name } })
    for (let number = 0; number < fileCount; number++) {
      const text = desk.name("filed")
      const name = `${text}.txt`
      const params = { id: await getId(desk, folders[0]) }
      await filed.of(desk).write({
        name: text,
        after: { folder: folders[0], name, tags: "" },
        async send() {
          const { files } = await client.files.upload({ params, file: new Blob([text]), fileName: name })
          return { id: files[0]?.id ?? "" }
        },
      })
    }
  },
  writes: {
    async file(desk) {
      const entry = one(desk)
      if (!entry?.state) return false
      const { state: before, id: fileId, name: text } = entry
      const other = folders.find((folder) => folder !== before.folder) ?? folders[0]
      const word = desk.name("named")
      const [draft, after] = desk.random.oneOf<[FilingDraft, Filed]>([
        [
          { action: "rename", fileId, name: `${word}.txt` },
          { ...before, name: `${word}.txt` },
        ],
        [
          { action: "move", fileId, vectorId: await getId(desk, other), folder: "" },
          { ...before, folder: other },
        ],
        [
          { action: "tag", fileId, tags: [word] },
          { ...before, tags: word },
        ],
      ]) ?? [
        { action: "tag", fileId, tags: [] },
        { ...before, tags: "" },
      ]
      return filed.of(desk).write({
        name: text,
        after,
        async send() {
          const { filing } = await desk.client.filing.file({ body: draft })
          newest.set(desk.ledger, { filing, text, was: before, became: after })
        },
      })
    },
    async undo(desk) {
      const last = newest.get(desk.ledger)
      if (!last) return false
      newest.delete(desk.ledger)
      const { filing, text, was: before, became: after } = last
      const entry = filed
        .of(desk)
        .listExisting()
        .find(({ name }) => name === text)
      if (JSON.stringify(entry?.state) !== JSON.stringify(after)) return false
      return filed.of(desk).write({
        name: text,
        after: before,
        send: async () => void (await desk.client.filing.undo({ params: { id: filing.id } })),
      })
    },
  },
  readers: [filed.reader],
}
