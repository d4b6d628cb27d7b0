import type { FileSort, FileStatus } from "../../../../shared/contract/files.ts"
import { among, createPreparedQuery, isAmong } from "../../../core/database/sql-helpers.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"
import { chunksWithYield } from "../../../core/waiting/yield-to-event-loop.ts"
import { listedColumns, toSearchName, type FileRow } from "../file-entry.ts"

export interface FileQuery {
  limit: number
  offset: number
  status?: FileStatus | undefined
  search?: string | undefined
  /** The exact name, apart from case and Unicode composition. */
  called?: string | undefined
  /** Which of the model-written files to include; all by default. */
  generated?: GeneratedFiles | undefined
  /** Only these files, by ID; all by default. */
  only?: ReadonlySet<string> | null | undefined
  sort?: FileSort | undefined
  order?: "asc" | "desc" | undefined
}

const sortColumns = {
  name: "nameOrder",
  state: "status",
  size: "size",
  modified: "modifiedMs",
} as const satisfies Record<FileSort, keyof FileRow>

/** A file that can be attached to a message. */
export interface AttachableFile {
  fileId: string
  name: string
  size: number
  createdAt: string
}

/** Number of files in one statement. */
export const idsPerStatement = 500
const rowsPerRead = 500

const selectInFolder = (db: DbOf<"files">, folderId: string) =>
  db.selectFrom("files").where("folderId", "=", folderId)

/** Finds files in a folder, at a location in it, or by ID. */
export function createFileFinder(db: DbOf<"files">) {
  return {
    /** Completely indexed files with one of these extensions, oldest first. Returns at most `most` files. */
    completed: (folderId: string, extensions: readonly string[], most: number): Promise<FileRow[]> =>
      selectInFolder(db, folderId)
        .selectAll()
        .where("status", "=", "completed")
        .where((e) => e.or(extensions.map((extension) => e("searchName", "like", `%.${extension}`))))
        .orderBy("id")
        .limit(most)
        .execute(),

    page: (folderId: string, query: FileQuery) => readPage(db, folderId, query),

    find: (folderId: string, id: string): Promise<FileRow | undefined> =>
      selectInFolder(db, folderId).selectAll().where("id", "=", id).executeTakeFirst(),

    /** The files that exist among these IDs, in any folder unless one is given. */
    findByIds: (ids: readonly string[], folderId?: string): Promise<FileRow[]> =>
      findByIds(folderId === undefined ? db.selectFrom("files") : selectInFolder(db, folderId), ids),

    async isTaken(folderId: string, subFolder: string, name: string): Promise<boolean> {
      const row = await selectInFolder(db, folderId)
        .select("id")
        .where("subFolder", "=", subFolder)
        .where("name", "=", name)
        .executeTakeFirst()
      return row !== undefined
    },

    /** The files at or below a path; an empty path means all files. */
    under: (folderId: string, path: string): Promise<FileRow[]> =>
      path === "" ? readAll(db, folderId) : findUnder(db, folderId, path),

    async findByIdentity(folderId: string, identities: readonly string[]): Promise<FileRow[]> {
      const rows: FileRow[] = []
      for await (const some of chunksWithYield(identities, idsPerStatement)) {
        rows.push(...(await selectInFolder(db, folderId).selectAll().where("identity", "in", some).execute()))
      }
      return rows
    },

    /** Files of a chat's folder that can be attached to its messages, in the order in which they were added. */
    attachable: (folderId: string): Promise<AttachableFile[]> =>
      selectInFolder(db, folderId)
        .select(["id as fileId", "name", "size", "createdAt"])
        .orderBy("id")
        .execute(),

    async idsInFolder(folderId: string): Promise<string[]> {
      return (await selectInFolder(db, folderId).select("id").execute()).map((row) => row.id)
    },
  }
}

/** Reads in steps, because reading a large folder at once would block everything else. */
async function readAll(db: DbOf<"files">, folderId: string): Promise<FileRow[]> {
  const rows: FileRow[] = []
  for (let after = ""; ;) {
    const some = await selectInFolder(db, folderId)
      .selectAll()
      .where("id", ">", after)
      .orderBy("id")
      .limit(rowsPerRead)
      .execute()
    rows.push(...some)
    const last = some.at(-1)
    if (!last) return rows
    after = last.id
  }
}

async function findByIds(
  files: ReturnType<typeof selectInFolder>,
  ids: readonly string[],
): Promise<FileRow[]> {
  const rows: FileRow[] = []
  for await (const some of chunksWithYield(ids, idsPerStatement)) {
    rows.push(...(await files.selectAll().where("id", "in", some).execute()))
  }
  return rows
}

/** Uses the index on locations, because a folder may change at many paths. */
async function findUnder(db: DbOf<"files">, folderId: string, path: string): Promise<FileRow[]> {
  const cut = path.lastIndexOf("/")
  const places = selectInFolder(db, folderId).select("id")
  const rows = await places
    .where("subFolder", "=", path.slice(0, Math.max(cut, 0)))
    .where("name", "=", path.slice(cut + 1))
    .unionAll(places.where("subFolder", "=", path))
    // everything that starts with `path/`: "0" is the character after "/"
    .unionAll(places.where("subFolder", ">", `${path}/`).where("subFolder", "<", `${path}0`))
    .execute()
  return findByIds(
    db.selectFrom("files"),
    rows.map(({ id }) => id),
  )
}

async function readPage(db: DbOf<"files">, folderId: string, query: FileQuery) {
  const { limit, offset, sort, order = "asc" } = query
  const matching = selectMatching(db, folderId, query)
  // Sorts only IDs: sorting whole rows would sort as much data as the folder holds.
  const ids = (sort ? matching.orderBy(sortColumns[sort], order) : matching)
    .select("id")
    .orderBy("id", order)
    .limit(limit)
    .offset(offset)
  const pageQuery = db
    .selectFrom(ids.as("page"))
    .innerJoin("files", "files.id", "page.id")
    .select(listedColumns.map((column) => `files.${column}` as const))
  const sorted = sort ? pageQuery.orderBy(`files.${sortColumns[sort]}`, order) : pageQuery
  const [rows, total] = await Promise.all([
    sorted.orderBy("page.id", order).execute(),
    countMatching(db, folderId, query),
  ])
  return { total, rows }
}

function selectMatching(
  db: DbOf<"files">,
  folderId: string,
  { status, search, called, generated = "all", only = null }: FileQuery,
) {
  let matching = selectInFolder(db, folderId)
  if (only !== null) matching = matching.where("id", "in", among([...only]))
  if (generated !== "all")
    matching = matching.where((e) =>
      e.or([e("generatedBy", "is", null), ...(generated.length > 0 ? [e("id", "in", generated)] : [])]),
    )
  if (status) matching = matching.where("status", "=", status)
  if (called !== undefined) matching = matching.where("searchName", "=", toSearchName(called))
  for (const word of splitWords(search))
    matching = matching.where((e) =>
      e.or([
        e(e.fn("instr", ["searchName", e.val(word)]), ">", 0),
        e("id", "in", selectTagged(db, folderId, word)),
      ]),
    )
  return matching
}

const splitWords = (search = ""): string[] =>
  toSearchName(search)
    .split(/\s+/)
    .filter((word) => word !== "")

/** Searches tags separately from names, because the index of names contains nothing else. */
const selectTagged = (db: DbOf<"files">, folderId: string, word: string) =>
  selectInFolder(db, folderId)
    .select("id")
    .where("tags", "is not", null)
    .where((e) => e(e.fn("instr", [e.fn("lower", ["tags"]), e.val(word)]), ">", 0))

async function countMatching(db: DbOf<"files">, folderId: string, query: FileQuery): Promise<number> {
  const { status, search, called, generated = "all", only = null } = query
  if (splitWords(search).length === 0 && called === undefined && generated === "all" && only === null)
    return countRows(db, folderId, status)
  const counted = selectMatching(db, folderId, query).select((e) => e.fn.countAll<number>().as("total"))
  return (await counted.executeTakeFirstOrThrow()).total
}

async function countRows(db: DbOf<"files">, folderId: string, status?: FileStatus): Promise<number> {
  let counts = db.selectFrom("fileCounts").where("folderId", "=", folderId)
  if (status) counts = counts.where("status", "=", status)
  const { total } = await counts
    .select((e) => e.fn.sum<number | null>("amount").as("total"))
    .executeTakeFirstOrThrow()
  return total ?? 0
}

export interface FileCounts {
  fileCount: number
  pendingCount: number
  failedCount: number
}

/** Statistics about the files of folders that reveal no file names. */
export function createFileCounts(db: DbOf<"files">) {
  const countByFolder = createPreparedQuery(db, ["folderIds"], ({ folderIds }) =>
    db
      .selectFrom("fileCounts")
      .select(["folderId", "status", "amount as count"])
      .where(isAmong(db, "folderId", folderIds)),
  )
  return {
    count: (folderId: string): Promise<number> => countRows(db, folderId),

    /** The number of files in the folders, by state. */
    async counts(folderIds: readonly string[]): Promise<Map<string, FileCounts>> {
      const counts = new Map<string, FileCounts>()
      const rows = await countByFolder({ folderIds: JSON.stringify(folderIds) })
      for (const { folderId, status, count } of rows) {
        const sum = counts.get(folderId) ?? { fileCount: 0, pendingCount: 0, failedCount: 0 }
        sum.fileCount += count
        if (status === "queued" || status === "processing") sum.pendingCount += count
        if (status === "failed") sum.failedCount += count
        counts.set(folderId, sum)
      }
      return counts
    },

    /** The number of files and bytes in the folders. */
    async sizes(folderIds: readonly string[]): Promise<Map<string, { files: number; bytes: number }>> {
      const list = JSON.stringify(folderIds)
      const sizes = await db
        .selectFrom("folderSizes")
        .selectAll()
        .where(isAmong(db, "folderId", list))
        .execute()
      const bytes = new Map(sizes.map((row) => [row.folderId, row.bytes]))
      const counts = await db
        .selectFrom("fileCounts")
        .select((e) => ["folderId", e.fn.sum<number>("amount").as("files")])
        .where(isAmong(db, "folderId", list))
        .groupBy("folderId")
        .execute()
      // Empty files alone have no size.
      return new Map(
        counts.map(({ folderId, files }) => [folderId, { files, bytes: bytes.get(folderId) ?? 0 }]),
      )
    },

    /** The number of all files in each state. */
    async countByStatus(): Promise<Map<FileStatus, number>> {
      const rows = await db
        .selectFrom("fileCounts")
        .select((e) => ["status", e.fn.sum<number>("amount").as("amount")])
        .groupBy("status")
        .execute()
      return new Map(rows.map(({ status, amount }) => [status, amount]))
    },

    /** The time at which the newest file of each folder was added. Folders without files are left out. */
    async newest(folderIds: readonly string[]): Promise<Map<string, string>> {
      const rows = await db
        .selectFrom("files")
        .select((e) => ["folderId", e.fn.max("createdAt").as("newest")])
        .where("folderId", "in", among(folderIds))
        .groupBy("folderId")
        .execute()
      return new Map(rows.map(({ folderId, newest }) => [folderId, newest]))
    },
  }
}
