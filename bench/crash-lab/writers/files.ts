import { reader, type Desk, type Writer } from "../writer.ts"
import { recordRemoval } from "./deletions.ts"

interface Stored {
  text: string
}

const folderName = "Ledger"
const maxListed = 500

const documents = reader<Stored>("files", async ({ client }) => {
  const id = await getFolder(client)
  const { files } = await client.files.list({ params: { id }, query: { limit: maxListed } })
  const read = async (fileId: string) => (await client.files.content({ params: { id, fileId } })).text()
  return Promise.all(
    files.map(async (file) => ({ name: file.name, id: file.id, state: { text: await read(file.id) } })),
  )
})

async function getFolder(client: Desk["client"]): Promise<string> {
  const { vectors } = await client.folders.list()
  return vectors.find(({ name }) => name === folderName)?.id ?? ""
}

/** Some texts have a few passages; some are in a format that a parser reads. */
function words({ random }: Desk): string {
  const lines = Array.from({ length: 1 + random.below(60) }, () => `${random.word()} ${random.word()} walrus`)
  return `${lines.join("\n")}\n`
}

const one = (desk: Desk) => desk.random.oneOf(documents.of(desk).listExisting())

export const files: Writer<"files"> = {
  async setUp({ client }) {
    await client.folders.create({ body: { name: folderName } })
  },
  writes: {
    async upload(desk) {
      const fileName = `${desk.name("file")}.${desk.random.oneOf(["txt", "md", "csv", "html"]) ?? "txt"}`
      const text = words(desk)
      const send = async () => {
        const params = { id: await getFolder(desk.client) }
        const receipt = await desk.client.files.upload({ params, file: new Blob([text]), fileName })
        return { id: receipt.files[0]?.id ?? "" }
      }
      return documents.of(desk).write({ name: fileName, after: { text }, send })
    },
    async replace(desk) {
      const entry = one(desk)
      if (!entry) return false
      const text = words(desk)
      const send = async () => {
        const params = { id: await getFolder(desk.client), fileId: entry.id }
        await desk.client.files.replace({ params, file: new Blob([text]), fileName: entry.name })
      }
      return documents.of(desk).write({ name: entry.name, after: { text }, send })
    },
    async remove(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => {
        const params = { id: await getFolder(desk.client), fileId: entry.id }
        const { undo } = await desk.client.files.remove({ params })
        recordRemoval(desk, documents.of(desk), entry, undo)
      }
      return documents.of(desk).write({ name: entry.name, after: null, send })
    },
    putBack: { none: "what is undone is tried in deletions; this stores a file as an upload does" },
    async emptyTrash({ client }) {
      await client.files.emptyTrash() // changes nothing that a folder shows
      return true
    },
    removeTrashed: { none: "`emptyTrash` of one" },
    addUrl: { none: "the lab has no web; a page is stored as an upload is" },
    async update(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => {
        const params = { id: await getFolder(desk.client), fileId: entry.id }
        await desk.client.files.update({ params, body: { leftOut: desk.random.below(2) === 0 } })
      }
      return documents.of(desk).write({ name: entry.name, after: entry.state, send })
    },
    async retry(desk) {
      const entry = one(desk)
      if (!entry) return false
      const send = async () => {
        const params = { id: await getFolder(desk.client), fileId: entry.id }
        await desk.client.files.retry({ params })
      }
      return documents.of(desk).write({ name: entry.name, after: entry.state, send })
    },
    async retryFailed(desk) {
      const params = { id: await getFolder(desk.client) }
      const send = () => desk.client.files.retryFailed({ params })
      return documents.of(desk).writeAll((state) => state, send)
    },
  },
  readers: [documents.reader],
}
