import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import { makePdf } from "./parsers/testing/make-pdf.ts"
import { startBoxProcess } from "./testing/box-process.ts"
import {
  startModelServer,
  type ModelRequest,
  type ModelServer,
  type Round,
} from "./testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let model: ModelServer
let speak: (request: ModelRequest) => Round
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-clerk-"))
  model = await startModelServer((request) => speak(request))
})
afterEach(async () => {
  await model[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const getLast = ({ messages }: ModelRequest) => messages.at(-1)
/** Extracts the name of the file that started a run from its prompt. */
const getAsked = ({ messages }: ModelRequest) =>
  /Read «(.*?)»/.exec(messages.findLast(({ role }) => role === "user")?.content ?? "")?.[1] ?? ""
const call = (name: string, args: unknown): Round => ({ calls: [{ name, args }] })
/** Answers that it is done after a call has its result. */
const oneCall = (round: (request: ModelRequest) => Round) => (request: ModelRequest) =>
  getLast(request)?.role === "tool" ? { text: "It is done." } : round(request)
const note = oneCall((request) => call("writeNote", { file: getAsked(request), text: "Total: 40 euros." }))

/** Creates an assistant that files, and an automation that runs it for new files in a folder. */
async function hireClerk(client: Client, vectorId: string, match: string | null, permissionMode?: "bypass") {
  const { assistant } = await client.assistants.create({
    body: {
      name: "Clerk",
      instructions: "File what comes.",
      builtInTools: { filing: true },
      ...(permissionMode && { permissionMode }),
    },
  })
  const { automation } = await client.automations.create({
    body: {
      name: "Filing",
      trigger: { kind: "file", vectorId, match },
      assistantId: assistant.id,
      prompt: "Read «{{file.name}}» and file it.",
      vectorIds: [vectorId],
    },
  })
  return automation.id
}
const waitingIn = async (client: Client) => (await client.chat.activity({})).approvals
const watch = async (client: Client, name = "Invoices") =>
  (await client.folders.create({ body: { name, folder: directory } })).vector.id
const listFiles = async (client: Client, id: string) =>
  (await client.files.list({ params: { id }, query: {} })).files

// Catches an approval that is lost when the box stops, a note that is written twice or never, and a note that undo leaves behind.
test("files a new PDF after approval despite a kill, and removes the note on undo", async () => {
  speak = note
  const dataDir = join(directory, "..", `${directory.split("/").at(-1) ?? ""}-data`)
  try {
    const before = await startBoxProcess(dataDir, "--model", model.baseUrl)
    const headers = { "x-api-key": before.firstRunKey ?? "" }
    const client = createClient({ baseUrl: before.url, headers })
    const folder = await watch(client)
    await hireClerk(client, folder, "*.pdf")
    const pdf = makePdf([{ lines: [{ text: "Two chairs: 40 euros.", size: 24 }] }])
    await writeFile(join(directory, "may.pdf"), pdf)
    const asked = await waitFor(async () => {
      const [waiting] = await waitingIn(client)
      expect(waiting).toMatchObject({ toolName: "writeNote", reasonCode: "write" })
      return waiting
    })
    expect(asked?.reason).toBe('Add the note "may.pdf.md" to "may.pdf" in Invoices: 16 characters.')
    expect(await readdir(directory)).toEqual(["may.pdf"])
    await before.stop("SIGKILL")

    const after = await startBoxProcess(dataDir, "--model", model.baseUrl)
    const again = createClient({ baseUrl: after.url, headers })
    const [still] = await waitingIn(again)
    expect(still?.toolCallId).toBe(asked?.toolCallId)
    const params = { chatId: still?.chatId ?? "", toolCallId: still?.toolCallId ?? "" }
    await again.chat.approve({ params, body: { decision: "allow" } })
    await waitFor(async () =>
      expect((await readdir(directory)).toSorted()).toEqual(["may.pdf", "may.pdf.md"]),
    )
    expect(await readFile(join(directory, "may.pdf.md"), "utf8")).toBe("Total: 40 euros.")
    // the note is on disk before it is in the database
    const filings = await waitFor(async () => {
      const { filings } = await again.filing.list({ query: {} })
      expect(filings).toMatchObject([
        { action: "note", chatId: params.chatId, became: { name: "may.pdf.md" } },
      ])
      return filings
    })
    // Catches a note that search treats as a document.
    await waitFor(async () => {
      const written = (await listFiles(again, folder)).find(({ name }) => name === "may.pdf.md")
      expect(written?.generatedBy).toMatchObject({ chatId: params.chatId })
    })
    const beside = (await listFiles(again, folder)).find(({ name }) => name === "may.pdf")?.id ?? ""
    const steps = await waitFor(async () => {
      const { history } = await again.filing.history({ params: { id: folder, fileId: beside } })
      expect(history).toHaveLength(5)
      return history.map(({ step }) => step).toReversed()
    })
    expect(steps).toEqual(["matched", "read", "proposed", "allowed", "done"])
    await again.filing.undo({ params: { id: filings[0]?.id ?? "" } })
    expect(await readdir(directory)).toEqual(["may.pdf"])
    expect(await readFile(join(directory, "may.pdf"))).toEqual(pdf)
    await after.stop()
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

// Catches an automation that its own notes start forever, or that is stopped without a reason or a notification to its owner.
test("stops an automation started by its own notes after the second round, with the reason", async () => {
  speak = note
  await using box: TestBox = await startTestBox({ model: model.baseUrl })
  const { client } = box
  const folder = await watch(client)
  const id = await hireClerk(client, folder, null, "bypass")
  await writeFile(join(directory, "a.txt"), "Two chairs: 40 euros.")
  const runs = await waitFor(async () => {
    const { runs } = await client.automations.runs({ params: { id } })
    expect(runs.map(({ status }) => status)).toEqual(["skipped", "completed", "completed"])
    return runs
  })
  expect(runs[0]?.error?.error).toMatch(/^This automation triggered itself/)
  expect((await readdir(directory)).toSorted()).toEqual(["a.txt", "a.txt (2).md", "a.txt.md"])
  await waitFor(async () => {
    const { notifications } = await client.notifications.list({ query: { category: "scheduler" } })
    expect(notifications.map(({ description }) => description).join()).toMatch(
      /This automation triggered itself/,
    )
  })
})

// Catches a model that files something outside its chat's folders or its user's access, and an approval request for something impossible.
test("lets a model file only files in the chat's folders, by name", async () => {
  await using box: TestBox = await startTestBox({ model: model.baseUrl })
  const { client } = box
  const inbox = await watch(client, "Inbox")
  const archive = (await client.folders.create({ body: { name: "Archive" } })).vector.id
  const secret = (await client.folders.create({ body: { name: "Secret" } })).vector.id
  const upload = async (id: string, fileName: string) =>
    (await client.files.upload({ params: { id }, file: new Blob(["Penguins."]), fileName })).files[0]?.id ??
    ""
  const fileId = await upload(inbox, "scan.txt")
  const hidden = await upload(secret, "plans.txt")
  const { assistant } = await client.assistants.create({
    body: { name: "Clerk", instructions: "", builtInTools: { filing: true }, permissionMode: "bypass" },
  })
  const results: unknown[] = []
  const calls = [
    call("moveFile", { file: hidden, folder: "Archive" }),
    call("moveFile", { file: "scan.txt", folder: "Secret" }),
    call("renameFile", { file: "nothing.txt", name: "b.txt" }),
    call("moveFile", { file: "scan.txt", folder: "archive", subFolder: "2026" }),
    call("tagFile", { file: "scan.txt", tags: ["birds"] }),
  ]
  speak = (request) => {
    const last = getLast(request)
    if (last?.role === "tool") results.push(last.content)
    return calls.shift() ?? { text: "Done." }
  }
  const answer = client.chat.send({
    body: {
      boxAddress: box.url,
      id: "filing",
      messages: [{ role: "user", content: "File it." }],
      assistantId: assistant.id,
      vector: [inbox, archive],
    },
  })
  for await (const _ of answer);
  expect(results).toHaveLength(5)
  expect(results[0]).toMatch(/Document not found/)
  expect(results[1]).toMatch(/isn't a folder of this chat/)
  expect(results[2]).toMatch(/Document not found/)
  expect(await listFiles(client, secret)).toMatchObject([{ id: hidden }])
  expect(await listFiles(client, archive)).toMatchObject([{ id: fileId, folder: "2026", tags: ["birds"] }])
})

// Catches a dry run that changes a file, or that doesn't report which approvals it would have requested.
test("reports in a dry run what it would file, without filing anything", async () => {
  let received: unknown
  speak = (request) => {
    if (getLast(request)?.role === "tool") received = getLast(request)?.content
    return note(request)
  }
  await using box: TestBox = await startTestBox({ model: model.baseUrl })
  const { client } = box
  const folder = await watch(client)
  await writeFile(join(directory, "a.txt"), "Two chairs: 40 euros.")
  const fileId = await waitFor(async () => {
    const [file] = await listFiles(client, folder)
    expect(file?.status).toBe("completed")
    return file?.id ?? ""
  })
  const id = await hireClerk(client, folder, "*.txt")
  await client.automations.run({ params: { id }, query: { dryRun: true, fileId } })
  await waitFor(async () =>
    expect(received).toMatch(/Add the note .*a\.txt\.md.* to .*a\.txt.* in Invoices.*dry run/),
  )
  expect(await readdir(directory)).toEqual(["a.txt"])
})
