import { expect, test } from "vitest"
import { silentLogger } from "../../../core/logging/logger.ts"
import { createFolderAccess } from "../../folders/access.ts"
import { startFolderServer } from "../../../testing/folder-server.ts"
import { createIngestionBatches, type IngestionBatch } from "./ingestion-batches.ts"

// Catches one notification per file or for a chat's attachments, one sent too early, a failed file reported as indexed, and a password
// reported as a program fault.
test("reports one batch per folder after it is idle, with its failed files", async () => {
  await using server = await startFolderServer()
  const { db, dataDir } = server
  const access = createFolderAccess({
    databaseState: () => null,
    db,
    dataDir,
    hasOwnDirectories: true,
    colleagues: (userId) => Promise.resolve([userId]),
  })
  const alice = server.getClient("alice")
  const { id } = (await alice.folders.create({ body: { name: "Mixed" } })).vector
  const done = Promise.withResolvers<IngestionBatch>()
  const batches: IngestionBatch[] = []
  await using gathering = createIngestionBatches({
    db,
    folder: (folderId) => access.listed(folderId),
    logger: silentLogger,
    quietMs: 5,
    finished: (finished) => {
      batches.push(finished)
      done.resolve(finished)
      return Promise.resolve()
    },
  })
  const ids: string[] = []
  for (const [fileName, text] of [
    ["one.txt", "one"],
    ["two.txt", "two"],
  ] as const) {
    const receipt = await alice.files.upload({ params: { id }, file: new Blob([text]), fileName })
    ids.push(...receipt.files.map((file) => file.id))
  }
  const chat = (await alice.folders.create({ body: { name: "Attachments" } })).vector
  await db.updateTable("folders").set({ chatId: "c1" }).where("id", "=", chat.id).execute()
  const file = { file: new Blob(["three"]), fileName: "three.txt" }
  const attached = await alice.files.upload({ params: { id: chat.id }, ...file })
  await server.ingestion.whenIdle()
  const [first = "", second = ""] = ids
  await db.updateTable("files").set({ status: "processing" }).where("id", "=", second).execute()
  gathering.changed([attached.files[0]?.id ?? "", first, second])
  const failed = { status: "failed", reasons: JSON.stringify([{ code: "encrypted_pdf" }]) } as const
  await db.updateTable("files").set(failed).where("id", "=", second).execute()
  gathering.changed([second])
  expect(await done.promise).toMatchObject({
    folderId: id,
    folderName: "Mixed",
    ownerId: "alice",
    indexed: 1,
    failed: ["two.txt"],
    programFaults: 0,
  })
  expect(batches).toHaveLength(1)

  const crashed = { status: "failed", reasons: JSON.stringify([{ code: "parser_crashed" }]) } as const
  await db.updateTable("files").set(crashed).where("id", "=", first).execute()
  gathering.changed(ids)
  await expect.poll(() => batches[1]).toMatchObject({ failed: ["one.txt", "two.txt"], programFaults: 1 })
})
