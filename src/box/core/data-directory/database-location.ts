import { existsSync } from "node:fs"
import { join } from "node:path"
import { databaseFile } from "../data-layout.ts"
import { createBoxValues, type BoxValues } from "../database/box-values.ts"
import { type DbOf, DatabaseUnusable } from "../database/database.ts"
import { getOwner, own, serverDatabaseId } from "../database/postgres/server-database.ts"
import { readMarker, writeMarker, type Marker } from "./marker.ts"

/** Data of a box that is outside its data directory, so that another box can take over. */
export interface Shared {
  /** Location of its files. */
  files: string
  /** Key that encrypts tokens and keys of other services in the rows. */
  secretsKey: Buffer
  /** Public address of all boxes on the database. */
  publicUrl: string | null
}

/** Key of the stored value with the location of the files. It exists while the running box allows another one to take over. */
export const sharedFiles = "sharedFiles"
/** Key of the stored public address, empty if there is none. Older versions stored none. */
export const sharedPublicUrl = "sharedPublicUrl"

/** Records for other boxes whether one of them can take over from the running box. */
export async function noteShared(values: BoxValues, shared: Shared | null): Promise<void> {
  if (shared === null) await values.remove(sharedFiles, sharedPublicUrl)
  else
    await values.write([
      { key: sharedFiles, value: shared.files },
      { key: sharedPublicUrl, value: shared.publicUrl ?? "" },
    ])
}

/** Key of the stored address at which other boxes reach the running box. */
export const runningAt = "runningAt"

/** Records the address to which standby boxes forward their requests. */
export const noteRunning = (values: BoxValues, url: string): Promise<void> =>
  values.write([{ key: runningAt, value: url }])

const areShared = async (db: DbOf<"core">): Promise<boolean> =>
  (await createBoxValues(db).read(sharedFiles)) !== null

/** Returns a recognisable name of a database on a server, without the credentials. */
export function getServerName(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/**
 * The contents of a data directory belong either to rows in its file or to rows on a server. Without this check, a missing or premature
 * server address would start a new database next to the existing data, and writes would be possible while rows are being moved.
 * @throws DatabaseUnusable
 */
export function requireRowsLocation(dataDir: string, databaseUrl: string | null): void {
  const { server, moving } = getKnown(dataDir)
  if (moving)
    throw new DatabaseUnusable(`A move of the data in ${dataDir} isn't finished. Run the same "move" again.`)
  if (databaseUrl === null && server !== null)
    throw new DatabaseUnusable(
      `The files in ${dataDir} belong to data on the PostgreSQL server ${server.name}. Give its address with --database-url, or move the data back into a file with "move --to file".`,
    )
  if (databaseUrl !== null && existsSync(join(dataDir, databaseFile)))
    throw new DatabaseUnusable(
      `The data of ${dataDir} is in a file. Move it to the PostgreSQL server with "move --to ADDRESS", or give another directory with --data.`,
    )
}

/**
 * Records that the data directory's contents belong to these rows on a server, even if the server's address has changed. The rows may also
 * belong to other directories if no directory has their files (`isShared`).
 * @throws DatabaseUnusable if the directory belongs to other rows, or the rows to another directory
 */
export async function noteServer(
  dataDir: string,
  databaseUrl: string,
  db: DbOf<"core">,
  isShared = false,
): Promise<void> {
  const name = getServerName(databaseUrl)
  const id = await serverDatabaseId(db)
  const { server } = getKnown(dataDir)
  if (server !== null && server.id !== id) throw otherDatabaseError(dataDir, server.name, name)
  if (!isShared && ((await getOwner(db)) ?? getId(dataDir)) !== getId(dataDir)) throw othersRows(name)
  if (server?.name !== name) change(dataDir, { server: { name, id }, hasDatabase: false })
  if (!(await own(db, getId(dataDir))) && !isShared) throw othersRows(name)
}

/**
 * For programs that only read or change little: the rows must already belong to this data directory.
 * @throws DatabaseUnusable
 */
export async function requireKnownServer(
  dataDir: string,
  databaseUrl: string,
  db: DbOf<"core">,
): Promise<void> {
  const name = getServerName(databaseUrl)
  const { server } = getKnown(dataDir)
  if (server === null || server.id !== (await serverDatabaseId(db)))
    throw otherDatabaseError(dataDir, server?.name ?? "none yet", name)
  if ((await getOwner(db)) !== getId(dataDir) && !(await areShared(db))) throw othersRows(name)
}

/** Whether a box has started on a server with this data directory. If not, nothing should be created on a server for it. */
export const hasServer = (dataDir: string): boolean => getKnown(dataDir).server !== null

/** Prevents any start on the data directory until `endMoving`. */
export const markMoving = (dataDir: string): void => change(dataDir, { moving: true })

/** Records that the contents of the data directory now belong to rows in its file, or to rows on the recorded server. */
export function endMoving(dataDir: string, to: "file" | "server"): void {
  change(dataDir, to === "file" ? { moving: false, server: null, hasDatabase: true } : { moving: false })
}

/** Returns the data directory's ID, by which a server knows it. */
export const getId = (dataDir: string): string => getKnown(dataDir).id

/** Returns the marker's entries about the rows. */
export function getKnown(dataDir: string): Pick<Marker, "id" | "server" | "moving"> {
  const marker = readMarker(dataDir)
  return marker === null || marker === "damaged" ? { id: dataDir, server: null, moving: false } : marker
}

function change(dataDir: string, changes: Partial<Pick<Marker, "server" | "moving" | "hasDatabase">>): void {
  const marker = readMarker(dataDir)
  if (marker !== null && marker !== "damaged") writeMarker(dataDir, { ...marker, ...changes })
}

export const otherDatabaseError = (dataDir: string, own: string, other: string) =>
  new DatabaseUnusable(
    `The files in ${dataDir} belong to data on the PostgreSQL server ${own}, not on ${other}. Give the first one's address with --database-url, or another directory with --data.`,
  )

const othersRows = (name: string) =>
  new DatabaseUnusable(
    `The data on ${name} belongs to another data directory, which has its files. Give that directory with --data, or use another database. If the directory is lost, see docs/reference/team.md.`,
  )
