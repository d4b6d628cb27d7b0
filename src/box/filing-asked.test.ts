import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import type { Client } from "../shared/client/http-client.ts"
import type { ChatEvent } from "../shared/contract/chat.ts"
import type { Scope } from "../shared/contract/endpoint.ts"
import { collect, of } from "./features/chat/testing/tool-talk.ts"
import { startModelServer, type ModelServer, type Round } from "./testing/model-servers/model-server.ts"
import { getRows, startTestBox, type TestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let model: ModelServer
let box: TestBox
let rounds: Round[] = []
let folder: string
let assistantId: string
beforeAll(async () => {
  model = await startModelServer(() => rounds.shift() ?? { text: "Done." })
  box = await startTestBox({ model: model.baseUrl })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})
beforeEach(async () => {
  folder = (await box.client.folders.create({ body: { name: "Inbox" } })).vector.id
  const builtInTools = { filing: true }
  const body = { name: "Clerk", vectorIds: [folder], builtInTools }
  assistantId = (await box.client.assistants.create({ body })).assistant.id
})

// Removes the folder, because approval requests distinguish folders with the same name.
afterEach(() => box.client.folders.remove({ params: { id: folder } }))

async function upload(fileName: string): Promise<string> {
  const file = new Blob([`Text of ${fileName}.`])
  const { files } = await box.client.files.upload({ params: { id: folder }, file, fileName })
  return files[0]?.id ?? ""
}
const getFile = async (fileId: string) =>
  (await box.client.files.read({ params: { id: folder, fileId } })).file
const call = (name: string, args: unknown): Round => ({ calls: [{ name, args, id: "call_0" }] })

/** Returns the approval request that an answer ends with. */
async function ask(id: string, ...said: Round[]) {
  rounds = said
  const messages = [{ role: "user" as const, content: "File it." }]
  const body = { id, messages, boxAddress: box.url, assistantId }
  return askedIn(await collect(box.client.chat.send({ body })))
}
function askedIn(events: ChatEvent[]) {
  const [asked] = of(events, "tool-approval-request")
  if (!asked) throw new Error(`Nothing was asked: ${JSON.stringify(events)}`)
  return asked
}
/** Approves a call and reads the rest of the answer. */
async function allow(chatId: string, toolCallId: string): Promise<ChatEvent[]> {
  await box.client.chat.approve({ params: { chatId, toolCallId }, body: { decision: "allow" } })
  return collect(box.client.chat.attach({ params: { chatId } }))
}

// Catches a change to a different file that took the name while the owner was asked.
test("changes the approved file even if another file has its name in the meantime", async () => {
  const meant = await upload("a.txt")
  const { toolCallId, reason } = await ask("swap", call("renameFile", { file: "a.txt", name: "b.txt" }))
  expect(reason).toBe('Rename "a.txt" in Inbox to "b.txt".')
  await box.client.filing.file({ body: { action: "rename", fileId: meant, name: "old.txt" } })
  const other = await upload("a.txt")
  await allow("swap", toolCallId)
  expect((await getFile(meant)).name).toBe("b.txt")
  expect((await getFile(other)).name).toBe("a.txt")
})

// Catches a move into a different folder that took the name of the target folder.
test("moves a file to the approved folder even if another folder has its name in the meantime", async () => {
  const target = (await box.client.folders.create({ body: { name: "Archive" } })).vector.id
  const other = (await box.client.folders.create({ body: { name: "Other" } })).vector.id
  const vectorIds = [folder, target, other]
  await box.client.assistants.update({ params: { id: assistantId }, body: { vectorIds } })
  const fileId = await upload("a.txt")
  const { toolCallId } = await ask("target", call("moveFile", { file: "a.txt", folder: "Archive" }))
  await box.client.folders.update({ params: { id: target }, body: { name: "Archive of before" } })
  await box.client.folders.update({ params: { id: other }, body: { name: "Archive" } })
  await allow("target", toolCallId)
  const { files } = await box.client.files.list({ params: { id: target }, query: {} })
  expect(files.map(({ id }) => id)).toEqual([fileId])
})

// Catches a private file that the team can read after its owner approved what looked like a different move.
test("states who gains access, and which of two folders with the same name is meant", async () => {
  const add = async (name: string, visibility: "PRIVATE" | "TEAM" | "PUBLIC") =>
    (await box.client.folders.create({ body: { name, visibility } })).vector
  const team = await add("Papers", "TEAM")
  const own = await add("papers", "PRIVATE")
  const everyone = await add("Notices", "PUBLIC")
  const vectorIds = [folder, team.id, own.id, everyone.id]
  await box.client.assistants.update({ params: { id: assistantId }, body: { vectorIds } })
  const file = await upload("a.txt")
  const getReason = async (chat: string, ...given: Parameters<typeof call>) =>
    (await ask(chat, call(...given))).reason
  const created = ({ createdAt }: { createdAt: string }) =>
    `(created ${new Date(createdAt).toLocaleString("sv-SE")})`
  const move = (chat: string, { id }: { id: string }) =>
    getReason(chat, "moveFile", { file, folder: id, subFolder: "2026" })
  expect(await move("to-team", team)).toBe(
    `Move "a.txt" from Inbox to "Papers/2026" ${created(team)}. Your team can read it there.`,
  )
  expect(await move("to-own", own)).toBe(`Move "a.txt" from Inbox to "papers/2026" ${created(own)}.`)
  expect(await move("to-everyone", everyone)).toBe(
    'Move "a.txt" from Inbox to "Notices/2026". Everyone who uses this Casella can read it there.',
  )

  await box.client.folders.update({ params: { id: folder }, body: { visibility: "TEAM" } })
  const shared = "Your team can read it there."
  expect(await move("no-more", team)).not.toContain(shared)
  expect(await getReason("note", "writeNote", { file, text: "Secret." })).toBe(
    `Add the note "a.txt.md" to "a.txt" in Inbox: 7 characters. ${shared}`,
  )
  expect(await getReason("name", "renameFile", { file, name: "secret" })).toContain(shared)
  expect(await getReason("tags", "tagFile", { file, tags: ["secret"] })).toContain(shared)
})

// Catches a private file that everyone can read because its folder was shared between the request and the approval.
test.each([
  ["moveFile", { folder: "Closed", subFolder: "" }],
  ["renameFile", { name: "b.txt" }],
  ["tagFile", { tags: ["secret"] }],
  ["writeNote", { text: "Secret." }],
])("doesn't run %s when more people could read the file than the request showed", async (name, args) => {
  const closed = (await box.client.folders.create({ body: { name: "Closed" } })).vector.id
  await box.client.assistants.update({ params: { id: assistantId }, body: { vectorIds: [folder, closed] } })
  const file = await upload("a.txt")
  const { toolCallId } = await ask(`shared-${name}`, call(name, { file, ...args }))
  const into = { params: { id: name === "moveFile" ? closed : folder } }
  await box.client.folders.update({ ...into, body: { visibility: "TEAM" } })
  const events = await allow(`shared-${name}`, toolCallId)
  expect(JSON.stringify(of(events, "tool-result"))).toContain("More people can read that folder")
  const { files } = await box.client.files.list({ params: { id: folder }, query: {} })
  expect(files.map(({ id, name: called, tags }) => ({ id, called, tags }))).toEqual([
    { id: file, called: "a.txt", tags: [] },
  ])
  await box.client.folders.remove({ params: { id: closed } })
})

// Catches a call in a regenerated answer that is taken for the previous one because the model reuses ids.
test("runs the same call again in another answer", async () => {
  const fileId = await upload("a.txt")
  for (const _ of [1, 2]) {
    const { toolCallId } = await ask("again", call("tagFile", { file: fileId, tags: ["paid"] }))
    await allow("again", toolCallId)
    expect((await getFile(fileId)).tags).toEqual(["paid"])
    await box.client.filing.file({ body: { action: "tag", fileId, tags: [] } })
  }
})

// Catches an id that repeats in a resumed answer, so that its second call counts as done or can't be approved.
test("treats the same id in a resumed answer as another call", async () => {
  const fileId = await upload("a.txt")
  const tag = (word: string) => call("tagFile", { file: fileId, tags: [word] })
  const first = await ask("on", tag("one"), tag("two"))
  const second = askedIn(await allow("on", first.toolCallId))
  expect((await getFile(fileId)).tags).toEqual(["one"])
  expect(second.toolCallId).not.toBe(first.toolCallId)
  await allow("on", second.toolCallId)
  expect((await getFile(fileId)).tags).toEqual(["two"])
})

// Catches names or tags from documents and directories that change the meaning of an approval request.
test("keeps the meaning of an approval request whatever names and tags contain", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-asked-"))
  try {
    await mkdir(join(directory, "sub"))
    await writeFile(join(directory, "sub", 'a" to "b".\nKeep "\u202ec.txt'), "Text.")
    const vectorId = (await box.client.folders.create({ body: { name: "Disk", folder: directory } })).vector
      .id
    await box.client.assistants.update({
      params: { id: assistantId },
      body: { vectorIds: [folder, vectorId] },
    })
    const fileId = await waitFor(async () => {
      const { files } = await box.client.files.list({ params: { id: vectorId }, query: {} })
      expect(files).toHaveLength(1)
      return files[0]?.id ?? ""
    })
    const renamed = await ask("odd-name", call("renameFile", { file: fileId, name: "d" }))
    expect(renamed.reason).toBe(`Rename "sub/a' to 'b'._Keep '_c.txt" in Disk to "d.txt".`)
    expect(renamed.sentence?.values?.["file"]).toBe("sub/a' to 'b'._Keep '_c.txt")
    const tags = ['x".\nNothing is changed. "', "\u061cy\u2028z"]
    const tagged = await ask("odd-tags", call("tagFile", { file: fileId, tags }))
    expect(tagged.reason).toBe(
      `Tag "sub/a' to 'b'._Keep '_c.txt" in Disk: "x'._Nothing is changed. ', _y_z".`,
    )
    const moved = await ask(
      "odd-target",
      call("moveFile", { file: fileId, folder: "Inbox", subFolder: "x\u2028. And back" }),
    )
    expect(moved.reason).toBe(`Move "sub/a' to 'b'._Keep '_c.txt" from Disk to "Inbox/x_. And back".`)
  } finally {
    await rm(directory, { recursive: true })
  }
})

// Catches names of files and folders in an approval request that are shown to a key without access to folders.
test("hides names in pending approvals from a key that can't read folders", async () => {
  const fileId = await upload("canary-55.txt")
  await ask("limited", call("renameFile", { file: fileId, name: "b" }))
  const limited = async (...scopes: Scope[]) =>
    box.getClient((await box.client.keys.create({ body: { name: "Key", scopes } })).key)
  const listNotifications = async (client: Client) =>
    JSON.stringify([
      await client.chat.approvals({ params: { chatId: "limited" } }),
      await client.chat.activity({}),
      await collect(client.chat.attach({ params: { chatId: "limited" } })),
    ])
  expect(await listNotifications(await limited("assistants", "folders"))).toContain("canary-55")
  const heard = await listNotifications(await limited("assistants"))
  expect(heard).toContain("It makes a lasting change.")
  expect(heard).not.toContain("canary-55")
})

// Catches a file that isn't found by its name, or an ambiguous match, when many other names contain that name.
test("finds a file by its exact name among many names that contain it", async () => {
  await using rows = await getRows(box.dataDir)
  const last = await upload("z.txt")
  const row = await rows.db.selectFrom("files").selectAll().where("id", "=", last).executeTakeFirstOrThrow()
  for (let index = 0; index < 250; index++) {
    const name = `${index} quiz.txt`
    const other = { ...row, id: `0-${index}`, name, searchName: name, nameOrder: name, identity: name }
    await rows.db.insertInto("files").values(other).execute()
  }
  const { reason } = await ask("many", call("renameFile", { file: "z.txt", name: "b" }))
  expect(reason).toBe('Rename "z.txt" in Inbox to "b.txt".')
})
