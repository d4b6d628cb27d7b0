import * as lancedb from "@lancedb/lancedb"
import type { PartSearch } from "./part-search.ts"
import { closeUnused, isHarmless } from "./lance-errors.ts"
import type { TableCopies } from "../tables-location.ts"

/** Wait after a failed copy before searches trigger another attempt. A change of the table also ends the wait. */
const restMs = 60_000

export interface PartCopyOptions {
  /** The table on the store. No one else writes it, so its version is the latest. */
  table: lancedb.Table
  stored: PartSearch
  copies: TableCopies
  /** Creates caches for one version: LanceDB keeps the files in its caches open, and so on disk. */
  newSession(): lancedb.Session
  createSearch(table: lancedb.Table): PartSearch
}

/**
 * The local copy of a part on a store. Searches read the copy while its version is the table's; otherwise they read the store while a new
 * copy is made. While searches arrive, a new copy is made after each change.
 */
export function createPartCopy({ table, stored, copies, newSession, createSearch }: PartCopyOptions) {
  let copy: { table: lancedb.Table; search: PartSearch } | null = null
  let changes = 0
  let isWanted = false
  let isFollowing = false
  let restsUntil = 0
  let closed = false

  function forget(): void {
    if (copy) closeUnused(copy.table)
    copy = null
  }

  /** Makes searches use the store for a while. */
  function rest(): void {
    restsUntil = performance.now() + restMs
  }

  const isDue = () => !closed && copy === null && performance.now() >= restsUntil

  async function renew(): Promise<void> {
    const change = changes
    const isStill = () => !closed && change === changes
    const version = await table.version()
    const opened = await copies.open(table.name, version, (uri) =>
      openVersion(uri, newSession(), table.name, version),
    )
    if (!isStill()) return opened?.close()
    if (opened === null) return rest()
    copy = { table: opened, search: createSearch(opened) }
    isWanted = false
  }

  async function follow(): Promise<void> {
    if (isFollowing || !isDue()) return
    isFollowing = true
    do
      await renew().catch(rest) // the table is closed
    while (isDue())
    isFollowing = false
  }

  async function read<T>(find: (search: PartSearch) => Promise<T>): Promise<T> {
    isWanted = true
    const used = copy
    if (!used) {
      void follow()
      return find(stored)
    }
    try {
      return await find(used.search)
    } catch (error) {
      if (used === copy && !isHarmless(error)) {
        forget()
        rest()
        void copies.drop(table.name, error)
      }
      return find(stored)
    }
  }

  const search: PartSearch = {
    ...stored, // reads of a whole table gain nothing from a copy
    keyword: (...asked) => read((found) => found.keyword(...asked)),
    semantic: (...asked) => read((found) => found.semantic(...asked)),
  }

  return {
    search,

    /** Call this after each change of the table, including failed ones, whose effect is unknown. */
    changed(): void {
      changes++
      restsUntil = 0
      forget()
      if (isWanted) void follow()
    },

    close(): void {
      closed = true
      forget()
    },
  }
}

export type PartCopy = ReturnType<typeof createPartCopy>

/** Throws LanceDB's error if the files are damaged. */
async function openVersion(
  uri: string,
  session: lancedb.Session,
  name: string,
  version: number,
): Promise<lancedb.Table> {
  const connection = await lancedb.connect(uri, {}, session)
  try {
    const opened = await connection.openTable(name)
    if ((await opened.version()) === version) return opened
    opened.close()
    throw new Error("The copy has another version.")
  } finally {
    connection.close()
  }
}
