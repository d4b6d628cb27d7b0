import { type RawBuilder, sql, type SqlBool } from "kysely"
import type { Completeness, FileSort, FileStatus } from "../../../../shared/contract/files.ts"
import { among, createPreparedQuery, isAmong } from "../../../core/database/sql-helpers.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"
import { chunksWithYield } from "../../../core/waiting/yield-to-event-loop.ts"
import { listedColumns, toSearchName, type FileRow } from "../file-entry.ts"

export interface FileQuery {
  limit: number
  offset: number
  status?: FileStatus | undefined
  completeness?: Completeness | undefined
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
  const inFolder = selectInFolder(db, folderId).select("id")
  const rows = await inFolder
    .where("subFolder", "=", path.slice(0, Math.max(cut, 0)))
    .where("name", "=", path.slice(cut + 1))
    .unionAll(inFolder.where("subFolder", "=", path))
    // everything that starts with `path/`: "0" is the character after "/"
    .unionAll(inFolder.where("subFolder", ">", `${path}/`).where("subFolder", "<", `${path}0`))
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
  { status, completeness, search, called, generated = "all", only = null }: FileQuery,
) {
  let matching = selectInFolder(db, folderId)
  if (only !== null) matching = matching.where("id", "in", among([...only]))
  if (generated !== "all")
    matching = matching.where((e) =>
      e.or([e("generatedBy", "is", null), ...(generated.length > 0 ? [e("id", "in", generated)] : [])]),
    )
  if (status) matching = matching.where("status", "=", status)
  if (completeness) matching = matching.where(completenessConditions[completeness])
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

const completenessConditions: Record<Completeness, RawBuilder<SqlBool>> = {
  whole: sql`status = 'completed' AND partial = 0`,
  partial: sql`status = 'completed' AND partial = 1`,
  none: sql`(status IN ('failed', 'skipped') OR (status = 'completed' AND partial = 2))`,
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
  const { status, completeness, search, called, generated = "all", only = null } = query
  const isNarrowed = completeness !== undefined || called !== undefined || only !== null
  if (splitWords(search).length === 0 && !isNarrowed && generated === "all")
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

/** Finds and counts files in folders. */
export class FileQueries {
  readonly #db: DbOf<"files">
  readonly #countByFolder

  constructor(db: DbOf<"files">) {
    this.#db = db
    this.#countByFolder = createPreparedQuery(db, ["folderIds"], ({ folderIds }) =>
      db
        .selectFrom("fileCounts")
        .select(["folderId", "status", "amount as count"])
        .where(isAmong(db, "folderId", folderIds)),
    )
  }

  /** Completely indexed files with one of these extensions, oldest first. Returns at most `max` files. */
  completed(folderId: string, extensions: readonly string[], max: number): Promise<FileRow[]> {
    return selectInFolder(this.#db, folderId)
      .selectAll()
      .where("status", "=", "completed")
      .where((e) => e.or(extensions.map((extension) => e("searchName", "like", `%.${extension}`))))
      .orderBy("id")
      .limit(max)
      .execute()
  }

  page(folderId: string, query: FileQuery): ReturnType<typeof readPage> {
    return readPage(this.#db, folderId, query)
  }

  find(folderId: string, id: string): Promise<FileRow | undefined> {
    return selectInFolder(this.#db, folderId).selectAll().where("id", "=", id).executeTakeFirst()
  }

  /** The files that exist among these IDs, in any folder unless one is given. */
  findByIds(ids: readonly string[], folderId?: string): Promise<FileRow[]> {
    return findByIds(
      folderId === undefined ? this.#db.selectFrom("files") : selectInFolder(this.#db, folderId),
      ids,
    )
  }

  async isTaken(folderId: string, subFolder: string, name: string): Promise<boolean> {
    const row = await selectInFolder(this.#db, folderId)
      .select("id")
      .where("subFolder", "=", subFolder)
      .where("name", "=", name)
      .executeTakeFirst()
    return row !== undefined
  }

  /** The files at or below a path; an empty path means all files. */
  under(folderId: string, path: string): Promise<FileRow[]> {
    return path === "" ? readAll(this.#db, folderId) : findUnder(this.#db, folderId, path)
  }

  async findByIdentity(folderId: string, identities: readonly string[]): Promise<FileRow[]> {
    const rows: FileRow[] = []
    for await (const some of chunksWithYield(identities, idsPerStatement)) {
      rows.push(
        ...(await selectInFolder(this.#db, folderId).selectAll().where("identity", "in", some).execute()),
      )
    }
    return rows
  }

  /** Files of a chat's folder that can be attached to its messages, in the order in which they were added. */
  attachable(folderId: string): Promise<AttachableFile[]> {
    return selectInFolder(this.#db, folderId)
      .select(["id as fileId", "name", "size", "createdAt"])
      .orderBy("id")
      .execute()
  }

  async idsInFolder(folderId: string): Promise<string[]> {
    return (await selectInFolder(this.#db, folderId).select("id").execute()).map((row) => row.id)
  }

  count(folderId: string): Promise<number> {
    return countRows(this.#db, folderId)
  }

  /** The number of files in the folders, by state. */
  async counts(folderIds: readonly string[]): Promise<Map<string, FileCounts>> {
    const counts = new Map<string, FileCounts>()
    const rows = await this.#countByFolder({ folderIds: JSON.stringify(folderIds) })
    for (const { folderId, status, count } of rows) {
      const sum = counts.get(folderId) ?? { fileCount: 0, pendingCount: 0, failedCount: 0 }
      sum.fileCount += count
      if (status === "queued" || status === "processing") sum.pendingCount += count
      if (status === "failed") sum.failedCount += count
      counts.set(folderId, sum)
    }
    return counts
  }

  /** The number of a folder's files of which all, some or none is in the index. Files that haven't been read aren't counted. */
  async countByCompleteness(folderId: string): Promise<Record<Completeness, number>> {
    const byStatus = await this.#db
      .selectFrom("fileCounts")
      .select(["status", "amount"])
      .where("folderId", "=", folderId)
      .execute()
    const partial = await selectInFolder(this.#db, folderId)
      .select((e) => ["partial", e.fn.countAll<number>().as("count")])
      .where(sql<SqlBool>`status = 'completed' AND partial > 0`)
      .groupBy("partial")
      .execute()
    const sum = (rows: readonly { amount: number }[]) => rows.reduce((total, { amount }) => total + amount, 0)
    const indexed = sum(byStatus.filter(({ status }) => status === "completed"))
    const some = partial.find((row) => row.partial === 1)?.count ?? 0
    const empty = partial.find((row) => row.partial === 2)?.count ?? 0
    const unread = sum(byStatus.filter(({ status }) => status === "failed" || status === "skipped"))
    return { whole: Math.max(0, indexed - some - empty), partial: some, none: unread + empty }
  }

  /** The number of files and bytes in the folders. */
  async sizes(folderIds: readonly string[]): Promise<Map<string, { files: number; bytes: number }>> {
    const list = JSON.stringify(folderIds)
    const sizes = await this.#db
      .selectFrom("folderSizes")
      .selectAll()
      .where(isAmong(this.#db, "folderId", list))
      .execute()
    const bytes = new Map(sizes.map((row) => [row.folderId, row.bytes]))
    const counts = await this.#db
      .selectFrom("fileCounts")
      .select((e) => ["folderId", e.fn.sum<number>("amount").as("files")])
      .where(isAmong(this.#db, "folderId", list))
      .groupBy("folderId")
      .execute()
    // Empty files alone have no size.
    return new Map(
      counts.map(({ folderId, files }) => [folderId, { files, bytes: bytes.get(folderId) ?? 0 }]),
    )
  }

  /** The number of all files in each state. */
  async countByStatus(): Promise<Map<FileStatus, number>> {
    const rows = await this.#db
      .selectFrom("fileCounts")
      .select((e) => ["status", e.fn.sum<number>("amount").as("amount")])
      .groupBy("status")
      .execute()
    return new Map(rows.map(({ status, amount }) => [status, amount]))
  }

  /** The time at which the newest file of each folder was added. Folders without files are left out. */
  async newest(folderIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.#db
      .selectFrom("files")
      .select((e) => ["folderId", e.fn.max("createdAt").as("newest")])
      .where("folderId", "in", among(folderIds))
      .groupBy("folderId")
      .execute()
    return new Map(rows.map(({ folderId, newest }) => [folderId, newest]))
  }
}
