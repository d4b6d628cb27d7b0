import { FileQueries } from "../features/files/rows/file-queries.ts"
import { ownedFolders } from "../features/folders/owned-folders.ts"
import { createQuotas } from "../features/quotas/service.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

/** Quotas of users and workspaces, with their usage. */
export function openQuotas(base: Base, { people }: Accounts) {
  const { db } = base.database
  const files = new FileQueries(db)
  return createQuotas({
    db,
    people: people.listPeople,
    workspaces: people.workspaces,
    getWorkspaces: async (userId) => (await people.memberships(userId)).map(({ id }) => id),
    members: people.members,
    async stored(userIds) {
      const folders = await ownedFolders(db, userIds)
      const held = await files.sizes(folders.map(({ id }) => id))
      const sums = new Map<string, { files: number; bytes: number }>()
      for (const { id, ownerId } of folders) {
        const { files = 0, bytes = 0 } = held.get(id) ?? {}
        const sum = sums.get(ownerId) ?? { files: 0, bytes: 0 }
        sums.set(ownerId, { files: sum.files + files, bytes: sum.bytes + bytes })
      }
      return sums
    },
  })
}
