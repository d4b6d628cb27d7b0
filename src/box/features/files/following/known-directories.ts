import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { refusedAccess } from "../../../core/disk/disk-space.ts"
import type { Directory, StoredFolders, KnownDirectory } from "../folder-places.ts"

interface FolderLocation {
  id: string
  path: string
}

/** The directories of folders at their previous scan, and the drives mounted below them. */
export interface KnownDirectories {
  /** Returns null if none is known. */
  of(folderId: string): Promise<KnownDirectory | null>
  remember(folder: { id: string; managed: boolean }, directory: Directory): Promise<void>
  /** Returns whether a folder's directory, and the drives below it, are the known ones. */
  isInPlace(place: FolderLocation): Promise<boolean>
  /**
   * Throws `unavailable` unless the folder's directory is the known one, and the given sub-directory, or the one in which it would be
   * created, is on its known drive. A change anywhere else would be lost when the drive is back.
   */
  requireInPlace(place: FolderLocation, names: readonly string[]): Promise<void>
}

/**
 * @param onOther called when something unknown was found in place of a folder's directory or of one in it
 */
export function createKnownDirectories(
  folders: Pick<StoredFolders, "find" | "setDirectory">,
  mounts: Pick<MountStore, "of">,
  onOther: (folderId: string) => void,
): KnownDirectories {
  /** The box's own directories as found since the start, because the data directory may be copied and moved while the box is off. */
  const own = new Map<string, Directory>()

  async function of(folderId: string): Promise<KnownDirectory | null> {
    const folder = await folders.find(folderId)
    return folder?.managed === false ? folder.directory : (own.get(folderId) ?? null)
  }

  return {
    of,

    async remember({ id, managed }, { device, inode }) {
      if (managed) own.set(id, { device, inode })
      else await folders.setDirectory(id, { device, inode })
    },

    async isInPlace({ id, path }) {
      const [known, now, drives] = await Promise.all([of(id), directoryAt(path), mounts.of(id)])
      if (known !== null && (now === null || !isSameDirectory(known, now))) return false
      const found = await Promise.all(
        [...drives.keys()].map((drive) => directoryAt(join(path, drive)).catch(() => null)),
      )
      return [...drives.values()].every((device, index) => found[index]?.device === device)
    },

    async requireInPlace({ id, path }, names) {
      const paths = names.map((_, depth) => names.slice(0, depth + 1).join("/"))
      const [known, now, drives, ...found] = await Promise.all([
        of(id),
        directoryAt(path),
        mounts.of(id),
        ...paths.map((inside) => directoryAt(join(path, inside)).catch(() => null)),
      ])
      if (now === null) throw notThere()
      if (known === null) own.set(id, now) // first check since the box started
      else if (!isSameDirectory(known, now)) {
        onOther(id)
        throw replaced()
      }
      let { device } = now
      for (const [depth, inside] of paths.entries()) {
        const drive = drives.get(inside)
        device = drive ?? device
        const existing = found[depth]
        if (existing ? existing.device === device : drive === undefined) continue
        onOther(id)
        throw driveAway()
      }
    },
  }
}

/** Returns null if there is no directory. Throws `unavailable` if access is refused. */
export async function directoryAt(path: string): Promise<Directory | null> {
  const found = await lstat(path, { bigint: true }).catch((error: unknown) => {
    const refused = refusedAccess(error)
    if (refused !== null) throw refused
    return null
  })
  return found?.isDirectory() ? { device: String(found.dev), inode: String(found.ino) } : null
}

export const isSameDirectory = (known: KnownDirectory, now: Directory): boolean =>
  known.device === now.device && (known.inode === null || known.inode === now.inode)

export const notThere = (cause?: unknown) =>
  new AppError("unavailable", sentence("folders.directory_missing"), {
    cause,
  })

const replaced = () => new AppError("unavailable", sentence("folders.directory_replaced"))

const driveAway = () => new AppError("unavailable", sentence("folders.drive_missing"))

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

/** Returns the device of a directory. */
export const getDevice = async (path: string): Promise<string> =>
  String((await lstat(path, { bigint: true })).dev)

/** Throws if the directory is on another device: after a drive is unplugged, an empty directory may be in its place. */
export async function requireDrive(path: string, device: string): Promise<void> {
  if ((await getDevice(path)) !== device) throw new Error("The folder's drive was taken away.")
}
