import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Handlers } from "../../http/serve.ts"
import { sendFile } from "../../http/send-file.ts"
import type { Trash } from "../../core/trash.ts"
import type { Backups } from "./backups.ts"
import { removeCopy } from "./copies.ts"
import type { Storage } from "./service.ts"
import { discardRestore } from "./staged-restore.ts"

export interface StorageRoutesDeps {
  dataDir: string
  storage: Storage
  backups: Backups
  trash: Pick<Trash, "empty">
  isOwner(userId: string): Promise<boolean>
}

/** Everyone's data, so all of it is for owners only. */
export function storageHandlers(deps: StorageRoutesDeps): Handlers<typeof api.storage> {
  const { dataDir, storage, backups, trash, isOwner } = deps
  const forOwners =
    <I extends { caller: { userId: string } }, O>(handle: (input: I) => Promise<O>) =>
    async (input: I): Promise<O> => {
      if (await isOwner(input.caller.userId)) return handle(input)
      throw new AppError("forbidden", "Only an owner of the workspace may see and change what is stored.")
    }
  const success = { success: true } as const

  return {
    read: forOwners(async () => ({ storage: await storage.overview() })),
    emptyTrash: forOwners(async () => {
      await trash.empty()
      return success
    }),
    removeCopy: forOwners(async ({ params }) => {
      await removeCopy(dataDir, params.id)
      return success
    }),
    startBackup: forOwners(async () => ({ backup: await backups.start() })),
    backup: forOwners(async () => ({ backup: await backups.current() })),
    downloadBackup: forOwners(async ({ request, response }) => {
      await sendFile(request, response, { ...(await backups.open()), mimeType: "application/gzip" })
    }),
    removeBackup: forOwners(async () => {
      await backups.remove()
      return success
    }),
    stageRestore: forOwners(async ({ request }) => ({ restore: await storage.receiveRestore(request) })),
    discardRestore: forOwners(async () => {
      await discardRestore(dataDir)
      return success
    }),
  }
}
