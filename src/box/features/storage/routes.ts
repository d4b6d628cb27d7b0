import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import { sendFile } from "../../http/answers/send-file.ts"
import type { OnDemand } from "../../core/lazy.ts"
import type { Backups } from "./backups.ts"
import { removeCopy, type Storage } from "./service.ts"
import type { HeldItemService } from "./held-items.ts"
import type { PlannedBackups } from "./plan/planned-backups.ts"
import { discardRestore } from "./staged-restore.ts"

export interface StorageRoutesDeps {
  dataDir: string
  storage: Storage
  backups: Backups
  planned: Pick<OnDemand<PlannedBackups>, "get">
  held: () => Promise<HeldItemService>
  emptyTrash: () => Promise<void>
}

export function storageHandlers(deps: StorageRoutesDeps): Handlers<typeof api.storage> {
  const { dataDir, storage, backups, planned, held, emptyTrash } = deps
  const success = { success: true } as const

  return {
    read: async () => ({ storage: await storage.overview() }),
    emptyTrash: async () => {
      await emptyTrash()
      return success
    },
    removeCopy: async ({ params }) => {
      await removeCopy(dataDir, params.id)
      return success
    },
    startBackup: async () => ({ backup: await backups.start() }),
    backup: async () => ({ backup: await backups.current() }),
    downloadBackup: async ({ request, response }) => {
      await sendFile(request, response, { ...(await backups.open()), mimeType: "application/gzip" })
    },
    removeBackup: async () => {
      await backups.remove()
      return success
    },
    backupPlan: async () => ({ state: await (await planned.get()).state() }),
    planBackups: async ({ body }) => ({ state: await (await planned.get()).plan(body.plan) }),
    stageRestore: async ({ request, receive }) => ({
      restore: await storage.receiveRestore(receive, Number(request.headers["content-length"] ?? 0)),
    }),
    discardRestore: async () => {
      await discardRestore(dataDir)
      return success
    },
    held: async () => ({ items: await (await held()).list() }),
    decideHeld: async ({ caller, body }) => ({ items: await (await held()).decide(caller, body) }),
  }
}
