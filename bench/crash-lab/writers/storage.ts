import { setTimeout as pause } from "node:timers/promises"
import { AppError } from "../../../src/shared/contract/errors.ts"
import { Sentence } from "../../../src/shared/sentences/sentence.ts"
import { following, reader, type Writer } from "../writer.ts"

const backups = reader<"completed">("backup", async ({ client }) => {
  const { backup } = await client.storage.backup()
  return backup?.status === "completed" ? [{ name: "backup", id: "backup", state: "completed" as const }] : []
})

const pollMs = 20
/** A backup may only fail because the disk is full; any other failure is a fault. */
const failure = (reason: string) =>
  new AppError(
    /disk is full/i.test(reason) ? "disk_full" : "internal",
    Sentence.asIs(`The backup failed: ${reason}`),
  )
const replacing = "Takes the place of everything; features/storage/restore.test.ts does that."

export const storage: Writer<"storage"> = {
  writes: {
    /** Acknowledged when it is complete. */
    async startBackup(desk) {
      const send = async () => {
        await desk.client.storage.startBackup()
        for (;;) {
          const { backup } = await following(desk.client.storage.backup())
          if (backup?.status === "completed") return
          if (backup?.status === "failed") throw failure(backup.error ?? "")
          if (backup?.status !== "running") throw new Error("The backup is gone.")
          await pause(pollMs)
        }
      }
      // The previous backup is deleted first.
      return backups
        .of(desk)
        .write({ name: "backup", after: "completed", between: (found) => found === null, send })
    },
    async removeBackup(desk) {
      const send = async () => void (await desk.client.storage.removeBackup())
      return backups.of(desk).write({ name: "backup", after: null, send })
    },
    async emptyTrash({ client }) {
      await client.storage.emptyTrash() // changes nothing that is shown
      return true
    },
    removeCopy: { none: "Copies are made by updates and restores only." },
    planBackups: {
      none: "src/box/features/storage/plan/killed-backup.test.ts kills boxes that make one by plan.",
    },
    stageRestore: { none: replacing },
    discardRestore: { none: replacing },
    decideHeld: { none: "There is something to decide about after a restore only." },
  },
  readers: [backups.reader],
}
