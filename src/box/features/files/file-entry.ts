import type { Selectable } from "kysely"
import { lookup } from "mime-types"
import { z } from "zod"
import {
  type Completeness,
  type WebCopy,
  PageProblem,
  FileReason,
  FileTags,
  ReadAs,
  GeneratedBy,
  type FileEntry,
} from "../../../shared/contract/files.ts"
import type { DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { StoredObject } from "../../core/objects/object-files.ts"
import type { FoundFile } from "../../engines/folder-watcher/scan.ts"
import { initialState } from "./file-state.ts"

/** Data that a row stores about a file that is a copy of a web page. */
export const StoredPage = z.object({
  url: z.string(),
  /** The folder's owner, who added the page. */
  userId: z.string(),
  refreshHours: z.int().nullable(),
  /** Hash of the bytes that were fetched last. */
  hash: z.string(),
  fetchedAt: z.string(),
  problem: PageProblem.nullable(),
})
export type StoredPage = z.infer<typeof StoredPage>

interface PageColumns {
  webPage: string | null
  refreshAt: string | null
}

export const getPage = ({ webPage }: Pick<PageColumns, "webPage">): StoredPage | null =>
  webPage === null ? null : (readStored(StoredPage, webPage) ?? null)

export const pageColumns = (page: StoredPage, refreshAt: string | null): PageColumns => ({
  webPage: JSON.stringify(page),
  refreshAt,
})

/** Stops refreshing web pages in a database restored from a backup, until their owner sets an interval again. */
export async function stopRefreshing(db: DbOf<"files">): Promise<void> {
  const rows = await db
    .selectFrom("files")
    .select(["id", "webPage"])
    .where("webPage", "is not", null)
    .execute()
  for (const row of rows) {
    const page = getPage(row)
    const columns = page ? pageColumns({ ...page, refreshHours: null }, null) : { refreshAt: null }
    await db.updateTable("files").set(columns).where("id", "=", row.id).execute()
  }
}

/** A page as the API shows it. */
function presentPage(row: PageColumns): WebCopy | null {
  const page = getPage(row)
  if (!page) return null
  const { url, refreshHours, fetchedAt, problem } = page
  return { url, refreshHours, fetchedAt, refreshAt: row.refreshAt, problem }
}

const FileReasons = z.array(FileReason)

export type FileRow = Selectable<TablesOf<"files">["files"]>

/** Uploaded files are indexed before those found by scanning a directory. */
export const uploadPriority = 10
export const scanPriority = 0
/** Files that are read again without their content having changed come last, and no one is notified about them. */
export const upkeepPriority = -1

/** Returns the stored reasons why a file isn't in the index, or what is missing. */
export const storedReasons = (stored: FileRow["reasons"]): FileReason[] =>
  stored === null ? [] : (readStored(FileReasons, stored) ?? [])

export const getReadAs = ({ readAs }: Pick<FileRow, "readAs">): ReadAs | null =>
  readAs === null ? null : (readStored(ReadAs, readAs) ?? null)

export const getTags = ({ tags }: Pick<FileRow, "tags">): string[] =>
  tags === null ? [] : (readStored(FileTags, tags) ?? [])

/** Describes a file that is stored as an object under this path. */
export const describeObject = (path: string, { key, size, modifiedMs }: StoredObject): FoundFile => ({
  path,
  size,
  modifiedMs,
  identity: key,
  changedMs: null,
  storage: "local",
})

/** Columns that lists need. */
export const listedColumns = [
  "id",
  "folderId",
  "subFolder",
  "name",
  "size",
  "modifiedMs",
  "contentMs",
  "storage",
  "status",
  "phase",
  "progress",
  "error",
  "note",
  "reasons",
  "partial",
  "attempts",
  "webPage",
  "refreshAt",
  "leftOut",
  "tags",
  "readAs",
  "generatedBy",
  "createdAt",
  "updatedAt",
] as const satisfies (keyof FileRow)[]
export type ListedFile = Pick<FileRow, (typeof listedColumns)[number]>

/** Converts a row to a file as the API shows it. */
export function presentFile(row: ListedFile): FileEntry {
  const { id, name, size, status, phase, progress, error, note, storage, attempts, createdAt, updatedAt } =
    row
  return {
    id,
    name,
    folder: row.subFolder,
    relativePath: `${row.folderId}/${getPath(row)}`,
    size,
    status,
    phase,
    progress: status === "skipped" ? 100 : progress, // nothing is left to do
    error,
    note,
    reasons: storedReasons(row.reasons),
    completeness: getCompleteness(row),
    storage,
    attempts,
    web: presentPage(row),
    leftOut: row.leftOut === 1,
    tags: getTags(row),
    readAs: getReadAs(row),
    generatedBy: row.generatedBy === null ? null : (readStored(GeneratedBy, row.generatedBy) ?? null),
    date: timestamp(row.contentMs ?? row.modifiedMs),
    dateFrom: row.contentMs === null ? "file" : "content",
    modifiedAt: timestamp(row.modifiedMs),
    createdAt,
    updatedAt,
  }
}

function getCompleteness({ status, partial }: Pick<FileRow, "status" | "partial">): Completeness | null {
  if (status === "failed" || status === "skipped") return "none"
  if (status !== "completed") return null
  return partial === 0 ? "whole" : partial === 1 ? "partial" : "none"
}

/** Path inside the folder, with `/` between names. */
export const getPath = ({ subFolder, name }: Pick<FileRow, "subFolder" | "name">): string =>
  subFolder === "" ? name : `${subFolder}/${name}`

/** Returns the path segments of a file inside its folder. */
export const getNames = (row: Pick<FileRow, "subFolder" | "name">): string[] => getPath(row).split("/")

/** Normalises a name for searching, ignoring case and composition. */
export const toSearchName = (name: string): string => name.normalize("NFC").toLowerCase()

/** Returns a sort key under which "file2" precedes "file10". A migration added it to older rows in the same format. */
export const nameOrder = (name: string): string =>
  toSearchName(name).replaceAll(/[0-9]+/g, (digits) => {
    const number = digits.replace(/^0+/, "")
    return String(number.length).padStart(2, "0") + number
  })

/** Returns the columns for a file's location and name. */
export function locationFields({ path }: Pick<FoundFile, "path">) {
  const cut = path.lastIndexOf("/")
  const name = path.slice(cut + 1)
  return {
    name,
    subFolder: cut < 0 ? "" : path.slice(0, cut),
    searchName: toSearchName(name),
    nameOrder: nameOrder(name),
    mimeType: lookup(name) || "application/octet-stream",
  }
}

/** Returns the columns for a file's content. */
export const contentFields = ({ size, modifiedMs, identity, changedMs, storage }: FoundFile) => ({
  size,
  modifiedMs,
  identity,
  changedMs,
  storage,
})

export type PlaceAndContent = ReturnType<typeof locationFields> & ReturnType<typeof contentFields>

export function newFileRow(folderId: string, found: FoundFile, priority: number, id = newId()): FileRow {
  return {
    id,
    folderId,
    ...locationFields(found),
    ...contentFields(found),
    ...initialState(priority),
    arrivedRevision: 0,
    arrivedHash: null,
    object: null,
    webPage: null,
    refreshAt: null,
    tags: null,
    generatedBy: null,
    contentMs: null,
    people: null,
    readAs: null,
    createdAt: timestamp(),
  }
}
