import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createClient } from "../../../../shared/client/http-client.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { BoxProcess } from "../../../testing/box-process.ts"
import { killsItself, startFaultyBox } from "../../../testing/faulty-box.ts"
import { mountSmallDisk } from "../../../testing/small-disk.ts"
import { startTestBox, type TestBox } from "../../../testing/test-box.ts"

let dataDir: string
let box: BoxProcess
let again: TestBox | undefined
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-cut-restore-"))
})
afterEach(async () => {
  if (box.child.signalCode === null) await box.stop("SIGKILL")
  await again?.[Symbol.asyncDispose]() // with its directory
  again = undefined
  await rm(dataDir, { recursive: true, force: true })
})

const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof AppError ? error.code : "other"),
  )

/** A box that is killed while it brings back walrus.txt, in a folder of its own or in the directory, and is started again. */
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
  expect(await outcomeOf(before.deletions.undo({ body: { token: undo.token } }))).toBe("unavailable")

  const started = (again = await startTestBox({ dataDir }))
  const search = { query: "walrus", vector: [vector.id], strategy: "keyword" as const }
  return {
    undo: () => outcomeOf(started.clientOf(key).deletions.undo({ body: { token: undo.token } })),
    /** Names in the directory, files that are listed, and how many passages are found. */
    async seen() {
      const { files, folders } = started.clientOf(key)
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
// The first link to that name is the upload's.
const nameTaken = /folders.*walrus\.txt$/

describe("a box that is killed while it brings a file back", () => {
  // Would catch: a file that is gone, a token that is used up without bringing anything back.
  it("before its bytes are in their place has it deleted, and brings it back when it is asked again", async () => {
    const cut = await cutRestore(killsItself("before", "link", nameTaken, 3))
    expect(await cut.seen()).toEqual(none)
    expect(await cut.undo()).toBe("done")
    expect(await cut.seen()).toEqual(one("itself"))
  })

  // Would catch: the same bytes twice, under two ids and with a number, and a token for what is there already.
  it("once its bytes are in their place has it once, and gives it its id when it is asked again", async () => {
    const cut = await cutRestore(killsItself("after", "link", nameTaken, 3))
    await expect.poll(cut.seen).toEqual(one("another"))
    expect(await cut.undo()).toBe("done")
    await expect.poll(cut.seen).toEqual(one("itself"))
    expect(await cut.undo()).toBe("not_found")
    await again?.restart()
    await expect.poll(cut.seen).toEqual(one("itself"))
  })

  // Would catch: the same where the bytes are copied into their place, as another file than the one in the trash.
  it("once its copy is in its place on another disk has it once, too", { tags: "mount" }, async () => {
    await using drive = await mountSmallDisk("4m")
    const onDrive = /casella-full-.*walrus\.txt$/ // the first time it goes out of the way
    const cut = await cutRestore(killsItself("after", "rename", onDrive, 2), drive.path)
    await expect.poll(cut.seen).toEqual(one("another"))
    expect(await cut.undo()).toBe("done")
    await expect.poll(cut.seen).toEqual(one("itself"))
  })

  // Would catch: a file that is deleted for good, or not found, although the database had it back.
  it("once the database has it keeps it", async () => {
    const cut = await cutRestore(killsItself("before", "rm", /trash/))
    await expect.poll(cut.seen).toEqual(one("itself"))
    expect(await cut.undo()).toBe("not_found")
  })
})
