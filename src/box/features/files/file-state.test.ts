import { openTestDatabase } from "../../core/database/testing/test-database.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { addStoredFolder } from "../../testing/test-database.ts"
import { newFileRow, type FileRow } from "./file-entry.ts"
import { fileEvents, applyTransition } from "./file-state.ts"

const pages = {
  pages: [],
  pageCount: 1,
  legible: 0,
  failed: 0,
  pictures: { count: 0, legible: 0, failed: 0 },
  descriptions: { count: 0, written: 0, failed: [] },
  passages: 0,
  spentMs: 0,
  notes: [],
}
const withNotes = { notes: [reason("no_text")] }
const events = {
  contentChanged: fileEvents.contentChanged(10),
  retryWanted: fileEvents.retryWanted(10),
  retryOfFailedWanted: fileEvents.retryOfFailedWanted(0),
  claimed: fileEvents.claimed(7),
  embedded: fileEvents.embedded(30),
  pieceWritten: fileEvents.pieceWritten(40),
  pageWritten: fileEvents.pageWritten(40, pages, null),
  pagesLeft: fileEvents.pagesLeft(pages, withNotes),
  completed: fileEvents.completed({ ...withNotes, contentHash: "new" }),
  failed: fileEvents.ended("failed", reason("gone"), "pdf.1"),
  skipped: fileEvents.ended("skipped", reason("too_large"), "pdf.1"),
  putOff: fileEvents.putOff("2030-01-01T00:00:00.000Z", reason("locked")),
  roomMissing: fileEvents.roomMissing(),
  putBack: fileEvents.putBack(),
  recovered: fileEvents.recovered(),
  madeDue: fileEvents.madeDue(),
  startedOver: fileEvents.startedOver(),
  leftOut: fileEvents.leftOut(10),
  emptied: fileEvents.emptied(0),
  kept: fileEvents.kept(0),
  rechunked: fileEvents.rechunked(8),
  readAgain: fileEvents.readAgain({ ...withNotes, contentHash: "new", chunker: 8 }, "changed"),
  readAgainWithPagesLeft: fileEvents.readAgainWithPagesLeft(
    { ...withNotes, contentHash: "new", chunker: 8 },
    pages,
    -1,
  ),
  readAsChosen: fileEvents.readAsChosen(10, null),
  notReadAgain: fileEvents.notReadAgain("pdf.2"),
}

/** Status and phase of each state, and whether pages wait for OCR. */
const states = {
  waiting: ["queued", "queued", false],
  waitingForOcr: ["queued", "ocr", true],
  reading: ["processing", "extracting", false],
  indexing: ["processing", "indexing", false],
  recognising: ["processing", "ocr", true],
  emptying: ["processing", "queued", false],
  completed: ["completed", "done", false],
  failed: ["failed", "failed", false],
  skipped: ["skipped", "done", false],
  leftOut: ["skipped", "done", false],
} as const
type State = keyof typeof states
const all = Object.keys(states) as State[]

/** Next state for each of the states above, in their order. A dot means that nothing changes. */
const expected = `
  contentChanged      waiting waiting waiting waiting waiting waiting waiting waiting waiting .
  retryWanted         . . . . . . waiting waiting waiting waiting
  retryOfFailedWanted . . . . . . . waiting . .
  claimed             reading recognising . . . . . . . .
  embedded            . . indexing indexing . . . . . .
  pieceWritten        . . indexing indexing . . . . . .
  pageWritten         . . . . recognising . . . . .
  pagesLeft           . . . waitingForOcr waitingForOcr . . . . .
  completed           . . . completed completed . . . . .
  failed              . . failed failed failed . . . . .
  skipped             . . skipped skipped skipped . . . . .
  putOff              . . waiting waiting waitingForOcr . . . . .
  roomMissing         . . waiting waiting waitingForOcr . . . . .
  putBack             . . waiting waiting waitingForOcr . . . . .
  recovered           . . waiting waiting waitingForOcr waiting . . . .
  madeDue             waiting waitingForOcr . . . . . . . .
  startedOver         . waiting . . reading . . . . .
  leftOut             leftOut leftOut leftOut leftOut leftOut . leftOut leftOut leftOut .
  emptied             emptying emptying emptying emptying emptying emptying emptying emptying emptying emptying
  kept                . . . . . waiting . . . .
  rechunked           . . . . . . completed . . .
  readAgain           . . . . . . completed completed . .
  readAgainWithPagesLeft . . . . . . waitingForOcr waitingForOcr . .
  readAsChosen        waiting waiting waiting waiting waiting . waiting waiting waiting .
  notReadAgain        . . . . . . completed failed . .`

const before = { attempts: 3, revision: 5, priority: 0, retryAt: "2029-01-01T00:00:00.000Z", chunker: 1 }

/** Creates a folder with one file in each state, with the state's name as its ID. */
async function filesInAllStates() {
  const directory = await mkdtemp(join(tmpdir(), "casella-states-"))
  onTestFinished(() => rm(directory, { recursive: true }))
  const database = await openTestDatabase(join(directory, "casella.sqlite"))
  onTestFinished(() => database[Symbol.asyncDispose]())
  const { db } = database
  await addStoredFolder(db, "folders/folder")
  const rows = all.map((id): FileRow => {
    const [status, phase, waits] = states[id]
    const found = {
      path: id,
      size: 1,
      modifiedMs: 1,
      changedMs: 1,
      identity: "1:1",
      storage: "local",
    } as const
    const waitingPages = waits ? JSON.stringify(pages) : null
    const leftOut = id === "leftOut" ? 1 : 0
    const row = newFileRow("folder", found, 0, id)
    return { ...row, ...before, status, phase, progress: 20, waitingPages, leftOut }
  })
  return {
    db,
    async reset() {
      await db.deleteFrom("files").execute()
      await db.insertInto("files").values(rows).execute()
    },
    read: async () =>
      new Map((await db.selectFrom("files").selectAll().execute()).map((row) => [row.id, row])),
  }
}

const getState = ({ status, phase, leftOut }: FileRow) =>
  leftOut === 1 ? "leftOut" : all.find((state) => states[state][0] === status && states[state][1] === phase)

// Catches a file that is read while it is being removed, that is lost in the queue, or that gets a result of earlier content.
it("moves files between the specified states and leaves all others unchanged", async () => {
  const { db, reset, read } = await filesInAllStates()
  const lines: string[] = []
  for (const [name, event] of Object.entries(events)) {
    await reset()
    const rows = await read()
    const moved = await applyTransition(db, event, {})
    const now = await read()
    for (const state of all)
      if (!moved.includes(state)) expect(now.get(state), `${name}: ${state}`).toEqual(rows.get(state))
    lines.push(
      [name, ...all.map((id) => (moved.includes(id) ? getState(now.get(id) as FileRow) : "."))].join(" "),
    )
  }
  expect(lines).toEqual(
    expected
      .trim()
      .split("\n")
      .map((line) => line.trim().replaceAll(/ +/g, " ")),
  )
})

// Catches attempts counted although the file wasn't at fault, and an old result that is applied to new content.
it("updates the other columns", async () => {
  const { db, reset, read } = await filesInAllStates()
  const after = async (event: keyof typeof events, state: State) => {
    await reset()
    await applyTransition(db, events[event], { ids: [state] })
    return (await read()).get(state)
  }
  const fresh = { attempts: 0, retryAt: null, progress: 0, waitingPages: null, reasons: null }
  expect(await after("contentChanged", "recognising")).toMatchObject({ ...fresh, revision: 6, priority: 10 })
  expect(await after("retryWanted", "failed")).toMatchObject({ ...fresh, revision: 5, priority: 10 })
  expect(await after("claimed", "waiting")).toMatchObject({ attempts: 4, retryAt: null, chunker: 7 })
  expect(await after("claimed", "waitingForOcr")).toMatchObject({ attempts: 4, progress: 20, chunker: 1 })
  expect(await after("pagesLeft", "indexing")).toMatchObject({ attempts: 2, note: expect.any(String) })
  expect(await after("completed", "recognising")).toMatchObject({ progress: 100, contentHash: "new" })
  expect(await after("failed", "indexing")).toMatchObject({
    attempts: 3,
    error: expect.any(String),
    note: null,
  })
  expect(await after("putOff", "reading")).toMatchObject({ attempts: 3, retryAt: "2030-01-01T00:00:00.000Z" })
  for (const event of ["roomMissing", "putBack", "recovered"] as const)
    expect(await after(event, "recognising")).toMatchObject({ attempts: 2, progress: 20, note: null })
  expect(await after("roomMissing", "reading")).toMatchObject({ attempts: 2, note: expect.any(String) })
  expect(await after("emptied", "completed")).toMatchObject({ attempts: 1, revision: 6 })
  expect(await after("kept", "emptying")).toMatchObject({ ...fresh, revision: 5 })
})

// Catches a result for content that a file no longer has.
it("ignores events for another revision", async () => {
  const { db, reset, read } = await filesInAllStates()
  await reset()
  expect(await applyTransition(db, events.failed, { ids: ["reading"], revision: 4 })).toEqual([])
  expect((await read()).get("reading")?.status).toBe("processing")
})

// Catches an automation that runs for bytes it has already seen, or doesn't run for new ones.
it("counts content as arrived once, whatever caused it to be read again", async () => {
  const { db, reset, read } = await filesInAllStates()
  await reset()
  const arrived = async (revision: number, contentHash?: string) => {
    await db.updateTable("files").set({ status: "processing", phase: "indexing", revision }).execute()
    await applyTransition(db, fileEvents.completed({ notes: [], contentHash }), { ids: ["indexing"] })
    const { arrivedRevision, arrivedHash } = (await read()).get("indexing") as FileRow
    return [arrivedRevision, arrivedHash]
  }
  expect(await arrived(1, "A")).toEqual([1, "A"])
  expect(await arrived(1, "A")).toEqual([1, "A"])
  expect(await arrived(2, "A")).toEqual([1, "A"]) // touched, moved, or excluded for a while
  expect(await arrived(2, "B")).toEqual([2, "B"]) // read again before its change was noticed
  expect(await arrived(3, "B")).toEqual([2, "B"])
  expect(await arrived(4)).toEqual([2, "B"]) // its last page was recognised; the hash was already stored
  expect(await arrived(5, "A")).toEqual([3, "A"])
  await db.updateTable("files").set({ arrivedHash: null, arrivedRevision: 5 }).execute() // as stored by an earlier version
  expect(await arrived(5, "A")).toEqual([5, "A"])
  await db.updateTable("files").set({ arrivedHash: null }).execute()
  expect(await arrived(7, "B")).toEqual([7, "B"])
})
