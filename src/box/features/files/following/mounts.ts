import type { DbOf } from "../../../core/database/database.ts"

/** Relative paths below followed directories where other drives are mounted, with their devices. */
export interface MountStore {
  of(folderId: string): Promise<Map<string, string>>
  /** Remembers mounts in addition to the known ones. */
  add(folderId: string, mounts: ReadonlyMap<string, string>): Promise<void>
  /** Replaces all remembered mounts. */
  replace(folderId: string, mounts: ReadonlyMap<string, string>): Promise<void>
}

export function createMountStore(db: DbOf<"files">): MountStore {
  async function of(folderId: string) {
    const known = db.selectFrom("folderMounts").select(["path", "device"]).where("folderId", "=", folderId)
    return new Map((await known.execute()).map(({ path, device }) => [path, device]))
  }

  async function add(folderId: string, mounts: ReadonlyMap<string, string>): Promise<void> {
    const known = await of(folderId)
    for (const [path, device] of mounts) {
      if (known.get(path) === device) continue
      await db
        .insertInto("folderMounts")
        .values({ folderId, path, device })
        .onConflict((conflict) => conflict.columns(["folderId", "path"]).doUpdateSet({ device }))
        .execute()
    }
  }

  return {
    of,
    add,
    async replace(folderId, mounts) {
      for (const path of (await of(folderId)).keys()) {
        if (mounts.has(path)) continue
        await db
          .deleteFrom("folderMounts")
          .where("folderId", "=", folderId)
          .where("path", "=", path)
          .execute()
      }
      await add(folderId, mounts)
    },
  }
}
