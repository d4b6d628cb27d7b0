import { expect, test } from "vitest"
import { startModelServer } from "../../testing/model-servers/model-server.ts"
import { addUser, startTestBox, getRows } from "../../testing/test-box.ts"
import { createFolderAccess } from "./access.ts"
import { createReadableFiles } from "./reading.ts"

const code = `import glob
sorted((path, open(path).read()) for path in glob.glob("in/**/*.txt", recursive=True))`

// Catches programs that can't reach any files, or that reach files in folders their user may not see.
test("a program reads the files of the folders that its user may search, and no others", async () => {
  await using model = await startModelServer(({ messages }) =>
    messages.at(-1)?.role === "user"
      ? { calls: [{ name: "codeInterpreter", args: { code } }] }
      : { text: "." },
  )
  await using box = await startTestBox({ model: model.baseUrl })
  const member = await addUser(box, "member@example.test")
  const folder = async (name: string) => {
    const { vector } = await box.client.folders.create({ body: { name, visibility: "PUBLIC" } })
    const file = new Blob([`text of ${name}`])
    await box.client.files.upload({ params: { id: vector.id }, file, fileName: "a.txt" })
    return vector.id
  }
  const vectorIds = [await folder("Own"), await folder("Shared")]
  const ask = async (client: typeof member, id: string, assistantId: string) => {
    const messages = [{ role: "user" as const, content: "What do they say?" }]
    const results: unknown[] = []
    for await (const event of client.chat.send({ body: { id, messages, boxAddress: box.url, assistantId } }))
      if (event.type === "tool-result") results.push(event.result)
    return results
  }
  const reader = async (client: typeof member) => {
    const builtInTools = { codeInterpreter: true }
    const body = { name: "Reader", vectorIds, builtInTools, permissionMode: "bypass" as const }
    return (await client.assistants.create({ body })).assistant.id
  }
  const [ownersReader, membersReader] = [await reader(box.client), await reader(member)]
  await box.client.folders.update({ params: { id: vectorIds[0] ?? "" }, body: { visibility: "PRIVATE" } })
  const own = "('in/Own/a.txt', 'text of Own')"
  const shared = "('in/Shared/a.txt', 'text of Shared')"
  expect(await ask(box.client, "owner", ownersReader)).toEqual([
    expect.objectContaining({ filesRead: 2, value: `[${own}, ${shared}]` }),
  ])
  expect(await ask(member, "member", membersReader)).toEqual([
    expect.objectContaining({ filesRead: 1, value: `[${shared}]` }),
  ])
})

// Catches a list of folders that is trusted without checking the user's access.
test("checks for each folder whether the user may search it", async () => {
  await using box = await startTestBox()
  const ids = await Promise.all(
    (["PRIVATE", "PUBLIC"] as const).map(
      async (visibility) =>
        (await box.client.folders.create({ body: { name: visibility, visibility } })).vector.id,
    ),
  )
  await using database = await getRows(box.dataDir)
  const access = createFolderAccess({
    databaseState: () => null,
    db: database.db,
    dataDir: box.dataDir,
    hasOwnDirectories: true,
    colleagues: async (userId) => [userId],
  })
  const files = { readable: async () => [{ path: "a", size: 0, read: async () => new Uint8Array() }] }
  const found = await createReadableFiles({ access, files, matchFiles: async () => [] })(
    { userId: "a stranger", folderIds: [...ids, "none"], generated: [] },
    9,
  )
  expect(found.map(({ folder }) => folder)).toEqual(["PUBLIC"])
})
