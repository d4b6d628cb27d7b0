import { afterEach, beforeEach, expect, test } from "vitest"
import { addUser, getRows } from "./testing/test-box.ts"
import type { ModelRequest } from "./testing/model-servers/model-server.ts"
import { echo, mark, startReadingTalk, type ReadingTalk } from "./testing/model-servers/reading-talk.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let talk: ReadingTalk
beforeEach(async () => {
  talk = await startReadingTalk()
})
afterEach(() => talk[Symbol.asyncDispose]())

const content = "Summarise everything"
/** Larger than half of what the model reads at once, so that each file is a separate part. */
const quiet = "Quiet water lies here. ".repeat(500)
const page = (words: string) => `The ${mark} ${words}.\n\n${quiet}`
const whole = "whole" as const

// Catches a question that is stored or sent although it can't be answered as intended.
test("refuses a question that can't be answered by reading everything, before anything is stored", async () => {
  const { client } = talk.box
  const folder = await talk.makeFolder({ "a.md": page("one") })
  const empty = await talk.makeFolder({})
  const refused = (body: object) => talk.ask({ content, reading: whole, id: "refused", ...body })
  const nothing = { code: "validation", details: [expect.objectContaining({ field: "reading" })] }
  await expect(refused({})).rejects.toMatchObject(nothing)
  await expect(refused({ vector: [empty.id] })).rejects.toMatchObject(nothing)
  await expect(refused({ fileIds: ["nowhere"] })).rejects.toMatchObject({ status: 404, details: ["nowhere"] })
  await client.settings.update({ body: { wholeLimit: { characters: 1_000, minutes: 30 } } })
  const tooMuch = { status: 422, code: "too_much_to_read" }
  const error: unknown = await refused({ vector: [folder.id] }).catch((cause: unknown) => cause)
  expect(error).toMatchObject(tooMuch)
  const { characters, estimatedSeconds } = (error as { details: Record<string, number> }).details
  expect(characters).toBeGreaterThan(quiet.length - 10)
  expect(estimatedSeconds).toBeGreaterThan(0)
  await expect(client.conversations.read({ params: { id: "refused" } })).rejects.toMatchObject({
    status: 404,
  })
  expect(talk.server.requests).toEqual([])
})

// Catches other users' files, or files in folders that a key can't access, that can be read by their ids.
test("users can't read files they have no access to", async () => {
  const { client } = talk.box
  const folder = await talk.makeFolder({ "a.md": page("one") })
  const fileIds = Object.values(folder.files)
  const stranger = await addUser(talk.box, "b@example.com")
  await expect(talk.ask({ content, fileIds, reading: whole }, stranger)).rejects.toMatchObject({
    status: 404,
  })
  const { key } = await client.keys.create({ body: { name: "Limited", scopes: ["assistants"] } })
  const limited = talk.box.getClient(key)
  await expect(talk.ask({ content, fileIds, reading: whole }, limited)).rejects.toMatchObject({ status: 403 })
  await talk.ask({ content, fileIds, reading: whole, id: "a" })
  const partsFor = async (reader: typeof client) =>
    (await reader.conversations.read({ params: { id: "a" } })).chat.messages
      .at(-1)
      ?.parts.map(({ type }) => type)
  expect(await partsFor(client)).toContain("coverage")
  expect(await partsFor(limited)).not.toContain("coverage")
  const asked = async (reader: typeof client) =>
    (await reader.conversations.read({ params: { id: "a" } })).chat.messages[0]?.askedFiles
  expect(await asked(client)).toEqual([{ fileId: fileIds[0], vectorId: folder.id, name: "a.md" }])
  expect(await asked(limited)).toBeNull()
})

// Catches a shared assistant that answers from passages although its whole folder was requested, and one through which others read any
// other folder or keep reading after it is no longer shared.
test("others can read a shared assistant's whole folder through it, and nothing else", async () => {
  const folder = await talk.makeFolder({ "a.md": page("one") })
  const secret = await talk.makeFolder({ "secret.md": page("secret") })
  const { assistant } = await talk.box.client.assistants.create({
    body: { name: "Shared", instructions: "", vectorIds: [folder.id], visibility: "PUBLIC" },
  })
  const stranger = await addUser(talk.box, "b@example.com")
  const asked = { content: `Summarise the ${mark} one`, assistantId: assistant.id }
  for (const reading of [undefined, whole]) {
    const { text, coverage } = await talk.ask({ ...asked, ...(reading && { reading }) }, stranger)
    expect(text).toContain(`${mark} one`)
    expect(coverage).toMatchObject({ complete: true, files: [{ name: "a.md", skipped: null }] })
  }
  const body = { assistantId: assistant.id }
  expect(await stranger.chat.estimateReading({ body })).toMatchObject({ files: 1 })
  const alone = [{ vector: [folder.id] }, { fileIds: Object.values(folder.files) }]
  const others = [{ vector: [secret.id] }, { fileIds: Object.values(secret.files) }]
  for (const named of [...alone, ...others.map((each) => ({ ...each, ...body }))]) {
    const refused = talk.ask({ content, reading: whole, ...named }, stranger)
    await expect(refused).rejects.toMatchObject({ status: 404 })
  }
  await talk.box.client.assistants.update({
    params: { id: assistant.id },
    body: { visibility: "PRIVATE" },
  })
  await expect(talk.ask({ ...asked, reading: whole }, stranger)).rejects.toMatchObject({ status: 404 })
  expect(JSON.stringify(talk.server.requests)).not.toContain("secret")
})

// Catches a folder that must stay on this computer but is sent to a server, entirely or during reading.
test("a folder that stays on this computer is sent to no server, even if this changes during reading", async () => {
  const { client } = talk.box
  const folder = await talk.makeFolder({ "a.md": page("one"), "b.md": page("two"), "c.md": page("three") })
  const stay = (remote: "never" | "allowed") =>
    client.folders.update({ params: { id: folder.id }, body: { remote } })
  await stay("never")
  const quoted = await talk.ask({ content: `Who is the ${mark}?`, vector: [folder.id], reading: whole })
  expect(quoted.notices).toEqual(expect.arrayContaining(["stays_here", "not_read_whole"]))
  expect(quoted.text).toContain(`> The ${mark}`)
  expect(talk.server.requests).toEqual([])
  await stay("allowed")
  talk.speak = async (request) => {
    await stay("never")
    return echo(request)
  }
  const cut = await talk.ask({ content, vector: [folder.id], reading: whole })
  expect(talk.server.requests.length).toBeLessThanOrEqual(2)
  expect(cut.notices).toContain("stays_here")
  expect(cut.coverage?.complete).toBe(false)
  expect(cut.coverage?.files.at(-1)?.skipped).toMatch(/now stays on this computer/)
})

// Catches an endless answer that the box keeps storing and reading.
test("an answer that gets too long is stopped", async () => {
  const folder = await talk.makeFolder({ "a.md": page("one") })
  const endless = Array.from({ length: 25 }, () => "on and on ".repeat(10_000))
  talk.speak = (request) =>
    talk.combined().includes(request) ? { text: endless, unended: true } : echo(request)
  const { events } = await talk.ask({ content, vector: [folder.id], reading: whole })
  expect(events).toContainEqual(expect.objectContaining({ type: "finish", finishReason: "length" }))
})

// Catches a model that thinks endlessly about the first part, so that no other part is read.
test("thoughts about a part that get too long are stopped", async () => {
  const folder = await talk.makeFolder({ "a.md": page("one"), "b.md": page("two") })
  talk.speak = (request) =>
    request.messages.at(-1)?.content?.includes(`${mark} one`)
      ? { thought: "hm ".repeat(20_000), unended: true }
      : echo(request)
  const { coverage } = await talk.ask({ content, vector: [folder.id], reading: whole })
  expect(coverage?.files).toMatchObject([
    { name: "a.md", read: 0 },
    { name: "b.md", skipped: null },
  ])
})

// Catches a server that sends a megabyte at once, so that no other part is read.
test("a part whose response is too large at once is requested again, then listed as unread", async () => {
  const folder = await talk.makeFolder({ "a.md": page("one"), "b.md": page("two"), "c.md": page("three") })
  const about = (request: ModelRequest, word: string) =>
    request.messages.at(-1)?.content?.startsWith("<part>") === true &&
    request.messages.at(-1)?.content?.includes(`${mark} ${word}`) === true
  const text = "on and on ".repeat(150_000)
  let [times, recovered] = [0, 0]
  talk.speak = (request) => {
    if (about(request, "one")) return (times++, { text })
    return about(request, "two") && recovered++ === 0 ? { text } : echo(request)
  }
  const answer = await talk.ask({ content, vector: [folder.id], reading: whole })
  expect(times).toBe(2)
  expect(answer.coverage?.files).toMatchObject([
    { name: "a.md", read: 0, skipped: expect.stringMatching(/too large, twice/) as string },
    { name: "b.md", skipped: null },
    { name: "c.md", skipped: null },
  ])
  expect(answer.text).toMatch(/two[^]*three/)
  expect(answer.events.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" })
})

/** Five notes that fit into one request, and twelve that don't. */
const fewNotes = Object.fromEntries(
  Array.from({ length: 5 }, (_, file) => [`f${file}.md`, page(`${file}q`)] as const),
)
const manyNotes = Object.fromEntries(
  Array.from(
    { length: 12 },
    (_, file) => [`f${file}.md`, page(`${file}q ${`w${file} `.repeat(1_000)}`)] as const,
  ),
)
const isShortening = ({ messages }: ModelRequest) =>
  messages[0]?.content?.startsWith("You are given numbered notes") === true
/** Returns the file and number of each note in an answer written without a model. */
const listed = (text: string) =>
  [...text.matchAll(/^### .*?(f\d+)\.md\n\n- The canary (\d+)q/gm)].map(([, name, note]) => `${name} ${note}`)
const expectedEntries = (files: object) => Object.keys(files).map((_, file) => `f${file} ${file}`)

// Catches a whole reading lost in an error because the server sends a megabyte at once while notes are combined.
test.each([
  { what: "the answer", files: fewNotes, isIt: (request: ModelRequest) => !isShortening(request) },
  { what: "fewer notes", files: manyNotes, isIt: isShortening },
])(
  "the notes become the answer when the server sends too much at once for $what",
  async ({ files, isIt }) => {
    const folder = await talk.makeFolder(files)
    const text = "on and on ".repeat(150_000)
    talk.speak = (request) => (talk.combined().includes(request) && isIt(request) ? { text } : echo(request))
    const answer = await talk.ask({ content, vector: [folder.id], reading: whole })
    expect(answer.events.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" })
    expect(listed(answer.text).toSorted()).toEqual(expectedEntries(files).toSorted())
    expect(answer.coverage?.complete).toBe(true)
    expect(answer.notices).toContain("notes_by_file_refused")
  },
)

// Catches notes presented as the model's answer, and a reason that isn't shown or isn't stored.
test.each([
  { why: "its server refuses", refused: true, code: "notes_by_file_refused", notice: "It says: Too large." },
  {
    why: "it says nothing",
    refused: false,
    code: "notes_by_file",
    notice: "didn't combine them into one answer",
  },
])("a notice says that notes on each file are the answer because $why", async ({ refused, code, notice }) => {
  const folder = await talk.makeFolder(refused ? manyNotes : fewNotes)
  talk.speak = (request) => {
    if (!talk.combined().includes(request)) return echo(request)
    return refused ? { refusal: { status: 413, message: "Too large." } } : { text: " " }
  }
  const answer = await talk.ask({ content, vector: [folder.id], reading: whole, id: "too-much" })
  expect(listed(answer.text)).not.toEqual([])
  const { chat } = await talk.box.client.conversations.read({ params: { id: "too-much" } })
  const notices = chat.messages.at(-1)?.parts.filter(({ type }) => type === "notice")
  const message = expect.stringContaining(notice) as string
  expect(notices).toContainEqual(expect.objectContaining({ code, message }))
})

// Catches an answer that seems complete although its server's next piece was too large to read.
test("an answer whose server sends too much at once midway is kept and marked as cut", async () => {
  const folder = await talk.makeFolder(fewNotes)
  const text = [`The ${mark} 0q.\n`, "on and on ".repeat(150_000)]
  talk.speak = (request) => (talk.combined().includes(request) ? { text } : echo(request))
  const answer = await talk.ask({ content, vector: [folder.id], reading: whole })
  expect(answer.events.at(-1)).toMatchObject({ type: "finish", finishReason: "length" })
  expect(answer.text).toBe(`The ${mark} 0q. [1]\n`)
})

// Catches an error instead of an answer when a server counts more tokens than the box does, or accepts only smaller requests.
test("notes that the server refuses as too long are shortened until it accepts them", async () => {
  const folder = await talk.makeFolder(
    Object.fromEntries(
      Array.from({ length: 4 }, (_, file) => [`f${file}.md`, page(`${file}q ${`w${file} `.repeat(1_000)}`)]),
    ),
  )
  talk.speak = (request) => {
    if (isShortening(request)) {
      const lines = (request.messages.at(-1)?.content ?? "")
        .split("\n")
        .filter((line) => line.startsWith("- "))
      return { text: lines.map((line) => line.replace(/w\d+ /g, "")).join("\n") }
    }
    const size = JSON.stringify(request).length
    return talk.combined().includes(request) && size > 6_000
      ? { refusal: { status: 413, message: "This is too large." } }
      : echo(request, true)
  }
  const answer = await talk.ask({ content, vector: [folder.id], reading: whole })
  expect(answer.events.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" })
  expect(answer.text.match(/canary \d+q/g)).toHaveLength(4)
  expect(answer.text).not.toContain("###")
})

// Catches an unread file that isn't reported.
test("unread files are listed with the reason", async () => {
  const folder = await talk.makeFolder({
    "good.md": page("one"),
    "bad.pdf": "%PDF-1.7 and nothing else",
    "blank.txt": " \n ",
  })
  const { coverage } = await talk.ask({ content, vector: [folder.id], reading: whole })
  const files = Object.fromEntries((coverage?.files ?? []).map((file) => [file.name, file]))
  expect(coverage?.complete).toBe(false)
  expect(files["good.md"]).toMatchObject({ skipped: null, unit: "line" })
  expect(files["good.md"]?.read).toBe(files["good.md"]?.of)
  expect(files["bad.pdf"]).toMatchObject({ read: 0, skipped: expect.stringMatching(/damaged/) as string })
  expect(files["blank.txt"]).toMatchObject({ read: 0, skipped: expect.stringMatching(/No text/) as string })
})

// Catches coverage that reports "read" for text on which the model returned nothing, and for a file that has changed since.
test("a part on which the model says nothing is requested again, then listed as unread; so is a changed file", async () => {
  const folder = await talk.makeFolder({
    "a.md": page("silent"),
    "b.md": page("changed"),
    "c.md": page("kept"),
  })
  let isChanged = false
  talk.speak = async (request) => {
    const asked = request.messages.at(-1)?.content ?? ""
    if (asked.includes(`${mark} changed`) && !isChanged) {
      isChanged = true
      const params = { id: folder.id, fileId: folder.files["b.md"] ?? "" }
      await talk.box.client.files.replace({ params, file: new Blob(["New."]), fileName: "b.md" })
    }
    return asked.startsWith("<part>") && asked.includes(`${mark} silent`) ? { text: " " } : echo(request)
  }
  const { coverage, text } = await talk.ask({ content, vector: [folder.id], reading: whole })
  expect(text).toContain("kept")
  expect(coverage?.complete).toBe(false)
  expect(coverage?.files).toMatchObject([
    { name: "a.md", skipped: expect.stringMatching(/returned nothing/) as string },
    { name: "b.md", skipped: expect.stringMatching(/changed while/) as string },
    { name: "c.md", skipped: null },
  ])
  const silent = talk.read().filter(({ messages }) => messages.at(-1)?.content?.includes(`${mark} silent`))
  expect(silent).toHaveLength(2)
})

// Catches notes that are requested and paid for again after the server fails, and an answer that ends without a reason.
test("a server error ends the answer, and the next attempt resumes from there", async () => {
  const folder = await talk.makeFolder({ "a.md": page("one"), "b.md": page("two"), "c.md": page("three") })
  talk.speak = (request) =>
    request.messages.at(-1)?.content?.includes("three")
      ? { refusal: { status: 500, message: "Out of memory." } }
      : echo(request)
  const failed = await talk.ask({ content, vector: [folder.id], reading: whole })
  expect(failed.events.find(({ type }) => type === "error")).toMatchObject({ code: "unavailable" })
  expect(failed.events.at(-1)).toMatchObject({ type: "finish", finishReason: "error" })
  expect(failed.coverage?.complete).toBe(false)
  const before = talk.read().length
  talk.speak = echo
  const answer = await talk.ask({ content, vector: [folder.id], reading: whole })
  expect(answer.coverage?.complete).toBe(true)
  for (const { messages } of talk.read().slice(before))
    expect(messages.at(-1)?.content).not.toMatch(new RegExp(`${mark} one`))
})

// Catches a model that keeps reading after Stop, and an answer that is lost when stopped.
test("stop ends reading at once and keeps what was combined", async () => {
  const { client } = talk.box
  const folder = await talk.makeFolder({ "a.md": page("one"), "b.md": page("two"), "c.md": page("three") })
  const stopAt = async (at: "<part>" | "<notes>", id: string) => {
    let stopping: Promise<unknown> | undefined
    talk.speak = (request) => {
      if (!request.messages.at(-1)?.content?.startsWith(at)) return echo(request)
      setImmediate(() => {
        stopping ??= client.chat.stop({ params: { chatId: id } })
      })
      return { text: `The ${mark} one [1]\nand no more`, unended: true }
    }
    const answer = await talk.ask({ content, vector: [folder.id], reading: whole, id })
    await stopping
    return answer
  }
  const early = await stopAt("<part>", "early")
  expect(early.events.at(-1)).toMatchObject({ finishReason: "aborted" })
  expect(early.text).toBe("")
  expect(early.coverage?.files.map(({ read, skipped }) => [read, skipped])).toEqual(
    Array.from({ length: 3 }, () => [0, "Reading was stopped."]),
  )
  expect(talk.read().length).toBeLessThanOrEqual(2)
  const late = await stopAt("<notes>", "late")
  expect(late.events.at(-1)).toMatchObject({ finishReason: "aborted" })
  expect(late.coverage?.complete).toBe(true)
  const stored = (await client.conversations.read({ params: { id: "late" } })).chat.messages.at(-1)
  expect(stored?.parts.map(({ type }) => type)).toEqual(["source", "text", "coverage"])
})

// Catches statements without a citation, or with another file's, when the notes exceed the model's context window.
test("notes that don't fit are shortened first and keep their citations; a list is assembled without the model", async () => {
  const words = (index: number) => Array.from({ length: 150 }, (_, at) => `w${index}x${at}`).join(" ")
  const folder = await talk.makeFolder(
    Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`f${index}.md`, `The ${mark} ${index}q: ${words(index)}`]),
    ),
  )
  talk.speak = (request) => {
    if (request.messages[0]?.content?.startsWith("You are given numbered notes") !== true)
      return echo(request, true)
    const lines = (request.messages.at(-1)?.content ?? "").split("\n").filter((line) => line.startsWith("- "))
    return { text: lines.map((line) => line.replace(/w\d+x\d+ ?/g, "")).join("\n") }
  }
  const getPlaces = ({ text, sources }: Awaited<ReturnType<ReadingTalk["ask"]>>) =>
    text.split("\n").flatMap((line) => {
      const [, index, number] = /canary (\d+)q.*\[(\d+)\]/.exec(line) ?? []
      return index === undefined
        ? []
        : [[index, sources.find(({ citation }) => String(citation) === number)?.fileName]]
    })
  const expected = Array.from({ length: 40 }, (_, index) => [String(index), `f${index}.md`])
  const sorted = (found: (string | undefined)[][]) => found.toSorted((a, b) => Number(a[0]) - Number(b[0]))
  expect(sorted(getPlaces(await talk.ask({ content, vector: [folder.id], reading: whole })))).toEqual(
    expected,
  )
  const combined = talk.combined().length
  expect(combined).toBeGreaterThan(2)
  const list = await talk.ask({ content: "List all birds", vector: [folder.id], reading: whole })
  expect(sorted(getPlaces(list))).toEqual(expected)
  expect(list.notices.filter((code) => code.startsWith("notes_by_file"))).toEqual([])
  const steps = list.events.flatMap((event) => (event.type === "progress" ? [event] : []))
  expect(steps.at(-1)).toMatchObject({ stage: "combining", done: 1, total: 1 })
  expect(talk.combined()).toHaveLength(combined)
})

// Catches text of a deleted file that remains in the database in the notes about it.
test("notes are deleted with their file", async () => {
  await using soon = await startReadingTalk(1)
  const folder = await soon.makeFolder({ "a.md": page("one"), "b.md": page("two") })
  await soon.ask({ content, vector: [folder.id], reading: whole })
  const kept = async () => {
    await using database = await getRows(soon.box.dataDir)
    const rows = await database.db.selectFrom("readNotes").select("notes").execute()
    return rows.map(({ notes }) => notes).join("\n")
  }
  expect(await kept()).toContain(`${mark} one`)
  const params = { id: folder.id, fileId: folder.files["a.md"] ?? "" }
  await soon.box.client.files.remove({ params })
  await waitFor(async () => expect(await kept()).not.toContain(`${mark} one`))
  expect(await kept()).toContain(`${mark} two`)
  await soon.box.client.folders.remove({ params: { id: folder.id } })
  await waitFor(async () => expect(await kept()).toBe(""))
})
