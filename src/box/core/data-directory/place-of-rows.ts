import { existsSync } from "node:fs"
import { join } from "node:path"
import { databaseFile } from "../data-layout.ts"
import { DatabaseUnusable, type DbOf } from "../database/database.ts"
import { own, serverDatabaseId } from "../database/postgres/server-database.ts"
import { readMarker, writeMarker } from "./marker.ts"

/** A database on a server as people know it again, without what signs in to it. */
export function nameOfServer(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/**
 * What a data directory holds belongs to rows in its file, or to those on a server. Whoever leaves out the server's address, or gives
 * it too early, would begin anew beside all that there is.
 * @throws DatabaseUnusable
 */
export function requirePlaceOfRows(dataDir: string, databaseUrl: string | null): void {
  const server = serverOf(dataDir)
  if (databaseUrl === null && server !== null)
    throw new DatabaseUnusable(
      `What is in ${dataDir} belongs to the rows on the PostgreSQL server ${server.name}. Name that with --database-url, or bring the rows back into a file with "move --to file".`,
    )
  if (databaseUrl !== null && existsSync(join(dataDir, databaseFile)))
    throw new DatabaseUnusable(
      `${dataDir} has its rows in a file. Move them to the server with "move --to ADDRESS", or name another directory with --data.`,
    )
}

/**
 * From now on what the data directory holds belongs to these rows on a server, also where its address is another one since.
 * @throws DatabaseUnusable where it belongs to others, or they to another directory
 */
export async function noteServer(dataDir: string, databaseUrl: string, db: DbOf<"core">): Promise<void> {
  const name = nameOfServer(databaseUrl)
  const id = await serverDatabaseId(db)
  const server = serverOf(dataDir)
  if (server !== null && server.id !== id)
    throw new DatabaseUnusable(
      `What is in ${dataDir} belongs to the rows on the PostgreSQL server ${server.name}; those on ${name} are others. Name that server with --database-url, or another directory with --data.`,
    )
  const marker = readMarker(dataDir)
  if (!(await own(db, idOf(dataDir))))
    throw new DatabaseUnusable(
      `The rows on ${name} belong to another data directory, which has the files that they tell of. Name that with --data, or another database. docs/team.md says what to do where that directory is lost.`,
    )
  if (marker !== null && marker !== "damaged" && marker.server?.name !== name)
    writeMarker(dataDir, { ...marker, server: { name, id }, hasDatabase: false })
}

/** From now on what the data directory holds belongs to rows in its file again. */
export function noteFile(dataDir: string): void {
  const marker = readMarker(dataDir)
  if (marker !== null && marker !== "damaged")
    writeMarker(dataDir, { ...marker, server: null, hasDatabase: true })
}

/** The data directory's, by which a server knows it. */
export function idOf(dataDir: string): string {
  const marker = readMarker(dataDir)
  return marker === null || marker === "damaged" ? dataDir : marker.id
}

function serverOf(dataDir: string): { name: string; id: string } | null {
  const marker = readMarker(dataDir)
  return marker === null || marker === "damaged" ? null : marker.server
}
