import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createClient } from "../../../../shared/client/http-client.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { type BoxProcess, killsItself, startFaultyBox } from "../../../testing/box-process.ts"
import { mountSmallDisk } from "../../../testing/disk.ts"
import { startTestBox, type TestBox } from "../../../testing/test-box.ts"

let dataDir: string
let box: BoxProcess
let restarted: TestBox | undefined
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-cut-restore-"))
})
afterEach(async () => {
  if (box.child.signalCode === null) await box.stop("SIGKILL")
  await restarted?.[Symbol.asyncDispose]() // removes its directory
  restarted = undefined
  await rm(dataDir, { recursive: true, force: true })
})

const getOutcome = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof AppError ? error.code : "other"),
  )

/** Kills a box while it restores walrus.txt, in one of its own folders or in the given directory, and starts it again. */
async function cutRestore(fault: string, directory?: string) {
  box = await startFaultyBox(fault, dataDir)
  const key = box.firstRunKey ?? ""
  const before = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const { vector } = await before.folders.create({
    body: { name: "Sea", ...(directory !== undefined && { folder: directory }) },
  })
  const params = { id: vector.id }
  const file = new Blob(["A walrus sings."])
  const fileId = (await before.files.upload({ params, file, fileName: "walrus.txt" })).files[0]?.id ?? ""
  const status = async () => (await before.files.read({ params: { ...params, fileId } })).file.status
  await expect.poll(status).toBe("completed")
  const { undo } = await before.files.remove({ params: { ...params, fileId } })
  expect(await getOutcome(before.deletions.undo({ body: { token: undo.token } }))).toBe("unavailable")

  const started = (restarted = await startTestBox({ dataDir }))
  const search = { query: "walrus", vector: [vector.id], strategy: "keyword" as const }
  return {
    undo: () => getOutcome(started.getClient(key).deletions.undo({ body: { token: undo.token } })),
    /** Returns the names in the directory, the listed files, and the number of passages found. */
    async seen() {
      const { files, folders } = started.getClient(key)
      const onDisk = (await readdir(vector.folder)).filter((name) => !name.startsWith("."))
      const listed = (await files.list({ params })).files.map(
        ({ id, name, status: at }) => `${id === fileId ? "itself" : "another"} ${name} ${at}`,
      )
      return { onDisk, listed, found: (await folders.search({ body: search })).results.length }
    },
  }
}

const none = { onDisk: [], listed: [], found: 0 }
const one = (which: string) => ({
  onDisk: ["walrus.txt"],
  listed: [`${which} walrus.txt completed`],
  found: 1,
})
// The upload makes the first link to this name.
const nameTaken = /folders.*walrus\.txt$/

describe("a box killed while it restores a file", () => {
  // Catches a file that is lost, and a token that is used up without restoring anything.
  it("before its bytes are in place keeps it deleted, and restores it at the next request", async () => {
    const cut = await cutRestore(killsItself("before", "link", nameTaken, 3))
    expect(await cut.seen()).toEqual(none)
    expect(await cut.undo()).toBe("done")
    expect(await cut.seen()).toEqual(one("itself"))
  })

  // Catches the same bytes under two IDs and a numbered name, and a token for a file that is already there.
  it("after its bytes are in place lists it once, and gives it its ID at the next request", async () => {
    const cut = await cutRestore(killsItself("after", "link", nameTaken, 3))
    await expect.poll(cut.seen).toEqual(one("another"))
    expect(await cut.undo()).toBe("done")
    await expect.poll(cut.seen).toEqual(one("itself"))
    expect(await cut.undo()).toBe("not_found")
    await restarted?.restart()
    await expect.poll(cut.seen).toEqual(one("itself"))
  })

  // Catches the same fault when the bytes are copied into place, as a different file from the one in the trash.
  it("after its copy is in place on another disk also lists it once", { tags: "mount" }, async () => {
    await using drive = await mountSmallDisk("4m")
    const onDrive = /casella-full-.*walrus\.txt$/ // the deletion makes the first match
    const cut = await cutRestore(killsItself("after", "rename", onDrive, 2), drive.path)
    await expect.poll(cut.seen).toEqual(one("another"))
    expect(await cut.undo()).toBe("done")
    await expect.poll(cut.seen).toEqual(one("itself"))
  })

  // Catches a file that is permanently deleted or not found although the database had it back.
  it("after the database has it keeps it", async () => {
    const cut = await cutRestore(killsItself("before", "rm", /trash/))
    await expect.poll(cut.seen).toEqual(one("itself"))
    expect(await cut.undo()).toBe("not_found")
  })
})
