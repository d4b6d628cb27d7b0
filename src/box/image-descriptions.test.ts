import { afterEach, beforeEach, expect, test } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import type { FileEntry } from "../shared/contract/files.ts"
import { waitFor } from "../shared/testing/wait-for.ts"
import { encodePng } from "./parsers/pages/encode-png.ts"
import { docxBytes, relationships } from "./parsers/testing/office-files.ts"
import { signIn } from "./testing/clients.ts"
import { startSeeingServer, type SeeingServer } from "./testing/model-servers/model-server.ts"
import { addUser, getRows, startTestBox, type TestBox } from "./testing/test-box.ts"

let server: SeeingServer
let box: TestBox
let ids: Record<string, string>
beforeEach(async () => {
  server = await startSeeingServer(() => "A chart of walrus sightings, 17 in March 2024.")
  box = await startTestBox()
  const added = await box.client.modelServers.add({ body: { name: "Seeing", url: server.url } })
  ids = Object.fromEntries(added.server.models.map(({ name, id }) => [name, id]))
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const choose = (name: string) =>
  box.client.models.choose({ body: { role: "chat", modelId: ids[name] ?? "" } })

/** A document with pictures in these shades of grey. */
function report(...shades: number[]): Blob {
  const size = 200
  const paragraphs = shades.map(
    (shade) =>
      `<w:p><w:r><w:t>Sightings ${shade}.</w:t></w:r><w:r><w:drawing><a:blip r:embed="p${shade}"/></w:drawing></w:r></w:p>`,
  )
  const pixels = (shade: number) => new Uint8Array(size * size * 4).fill(shade)
  const bytes = docxBytes(paragraphs.join(""), {
    "word/_rels/document.xml.rels": relationships(
      Object.fromEntries(shades.map((shade) => [`p${shade}`, ["image", `media/${shade}.png`] as const])),
    ),
    ...Object.fromEntries(
      shades.map((shade) => [
        `word/media/${shade}.png`,
        encodePng({ width: size, height: size, pixels: pixels(shade) }, "rgba"),
      ]),
    ),
  })
  return new Blob([new Uint8Array(bytes)])
}

interface Filed {
  folderId: string
  /** Settles when the file is read and its note contains this text. */
  noteIs(text: string): Promise<FileEntry>
}

/** Creates a folder that wants descriptions, with a document. */
async function file(
  { folders, files }: Client,
  document: Blob,
  more: { remote?: "never" } = {},
): Promise<Filed> {
  const body = { name: "Reports", images: "description", ...more } as const
  const { id } = (await folders.create({ body })).vector
  const uploaded = await files.upload({ params: { id }, file: document, fileName: "report.docx" })
  const fileId = uploaded.files[0]?.id ?? ""
  return {
    folderId: id,
    noteIs: (text) =>
      waitFor(async () => {
        const { file: entry } = await files.read({ params: { id, fileId } })
        expect(entry).toMatchObject({ status: "completed", note: expect.stringContaining(text) as string })
        return entry
      }),
  }
}

const described = "A model described 1 of 1 image"

// Catches a description that is cited as text of its document, or from which dates and amounts of the document are collected.
test("chat cites a description as what it is, and facts leave it out", async () => {
  await choose("sees")
  const { folderId, noteIs } = await file(box.client, report(10))
  await noteIs(described)
  server.requests.length = 0
  const messages = [{ role: "user" as const, content: "Which chart shows walrus sightings?" }]
  const body = { id: "a", messages, boxAddress: box.url, vector: [folderId] }
  const sources = []
  for await (const event of box.client.chat.send({ body })) if (event.type === "source") sources.push(event)
  const ofImage = sources.filter(({ location }) => location?.described)
  expect(ofImage).toMatchObject([{ location: { image: 1, described: true } }])
  expect(JSON.stringify(server.requests)).toContain("(described by a model) A chart of walrus sightings")
  const { facts } = await box.client.facts.list({ params: { id: folderId }, query: { kind: "dates" } })
  expect(facts).toEqual([])
})

// Catches pictures of a folder that stays on this computer that are sent to a server, and those that stay undescribed after it may leave.
test("pictures of a folder that stays on this computer are sent to no server", async () => {
  await choose("sees")
  const { folderId, noteIs } = await file(box.client, report(10), { remote: "never" })
  const note = await noteIs("sees is on a server, and this folder stays on this computer.")
  expect(note.reasons?.map(({ code }) => code)).toEqual(["images_undescribed"])
  const { costs } = await box.client.folders.imageCosts({ params: { id: folderId } })
  expect(costs).toMatchObject({
    images: 1,
    obstacle: expect.stringContaining("stays on this computer") as string,
  })
  expect(server.requests).toEqual([])
  await box.client.folders.update({ params: { id: folderId }, body: { remote: "allowed" } })
  await noteIs(described)
  expect(server.requests).toHaveLength(1)
})

// Catches pictures that are sent elsewhere in local-only mode, and a note that blames the model.
test("local-only mode keeps pictures from servers on other computers", async () => {
  const url = "http://models.example:9/v1"
  const body = { name: "Far", url, models: ["far"] }
  const added = await box.client.modelServers.add({ body })
  const modelId = added.server.models[0]?.id ?? ""
  await box.client.modelOptions.update({ params: { modelId }, body: { vision: true } })
  await box.client.models.choose({ body: { role: "chat", modelId } })
  await box.client.settings.update({ body: { localOnly: true } })
  const { noteIs } = await file(box.client, report(10))
  await noteIs("is on a server, and local-only mode is on.")
  await choose("sees") // a server on this computer
  await noteIs(described)
})

// Catches pictures that are never described because there was no model when they were read, and models that can't see them.
test("pictures are described once a model that supports images is chosen, also after a restart", async () => {
  await choose("blind")
  const { folderId, noteIs } = await file(box.client, report(10))
  await noteIs("No chat model that supports images is in use. Choose one in Settings › Models in use.")
  await choose("sees")
  await noteIs(described)
  await box.restart()
  expect(server.requests).toHaveLength(1)
  const { vector } = await box.client.folders.read({ params: { id: folderId } })
  expect(vector).toMatchObject({ images: "description", outdatedCount: 0 })
})

// Catches pictures that are sent to a model server of a restored backup before an owner has agreed.
test("a restored model server describes nothing until an owner turns it on", async () => {
  await choose("sees")
  await box.restart({}, async () => {
    await using database = await getRows(box.dataDir)
    await database.db.updateTable("modelServers").set({ held: 1 }).execute() // as a restore marks it
  })
  const { noteIs } = await file(box.client, report(10))
  await noteIs("No chat model that supports images is in use.")
  expect(server.requests).toEqual([])
  const headers = await signIn(box.url, await box.box.signInToken())
  const app = createClient({ baseUrl: box.url, headers })
  const [item] = (await app.storage.held()).items
  if (!item) throw new Error("Nothing is held.")
  await app.storage.decideHeld({ body: { ...item, decision: "turn_on" } })
  await choose("sees")
  await noteIs(described)
})

// Catches descriptions that don't count towards the limits of the person whose folder it is, or fail the document.
test("each description counts as an answer of the folder's owner", async () => {
  await choose("sees")
  const member = await addUser(box, "ann@example.com")
  const none = { files: null, bytes: null, tokens: null }
  await box.client.quotas.setDefault({ body: { ...none, answers: 1 } })
  const limited = await file(member, report(10, 200))
  await limited.noteIs("The owner of the folder has reached a daily limit.")
  await limited.noteIs("A model described 1 of 2 images")
  expect(server.requests).toHaveLength(1)
  const own = await file(box.client, report(10))
  await own.noteIs(described)
})

// Catches a key for folders that causes requests to a model, and costs of someone else's folder.
test("only full rights have images described, and only the owner sees the costs", async () => {
  await choose("sees")
  const { folderId, noteIs } = await file(box.client, report(10))
  await noteIs(described)
  const { key } = await box.client.keys.create({ body: { name: "Folders", scopes: ["folders"] } })
  const scoped = box.getClient(key)
  const forbidden = expect.objectContaining({ code: "forbidden" }) as Error
  await expect(scoped.folders.create({ body: { name: "New", images: "description" } })).rejects.toThrow(
    forbidden,
  )
  const { id } = (await scoped.folders.create({ body: { name: "New", images: "text" } })).vector
  const wanted = { params: { id }, body: { images: "description" } as const }
  await expect(scoped.folders.update(wanted)).rejects.toThrow(forbidden)
  await expect(scoped.folders.imageCosts({ params: { id } })).resolves.toMatchObject({ costs: { images: 0 } })
  const member = await addUser(box, "ann@example.com")
  await box.client.folders.update({ params: { id: folderId }, body: { visibility: "TEAM" } })
  await expect(member.folders.imageCosts({ params: { id: folderId } })).rejects.toThrow(
    expect.objectContaining({ code: "not_found" }) as Error,
  )
})
