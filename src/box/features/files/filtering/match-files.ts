import { sql, type SqlBool } from "kysely"
import type { FileFilter } from "../../../../shared/contract/file-filter.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { containsAnywhere } from "../../../core/database/sql-helpers.ts"
import { chunksWithYield } from "../../../core/waiting/yield-to-event-loop.ts"
import type { FileSelection } from "../../../engines/vectors/passage-index.ts"
import { findFormat, getExtension } from "../../../parsers/registry.ts"
import { getPath, getTags } from "../file-entry.ts"
import { createGlob } from "./glob.ts"
import { toWantedPeople, type WantedPeople } from "./people.ts"

const dayMs = 86_400_000

/** Extensions that are spellings of the same type. */
const spellings = ["jpg jpeg", "tif tiff", "htm html", "md markdown", "yml yaml", "txt text"].map((group) =>
  group.split(" "),
)

const getExtensions = (...formats: string[]) => formats.flatMap((name) => findFormat(name)?.extensions ?? [])

/** Names for several types. */
const groups: Record<string, readonly string[]> = {
  code: getExtensions("code"),
  image: getExtensions("image"),
  mail: getExtensions("eml", "msg", "mbox"),
  presentation: getExtensions("pptx", "ppt", "odp"),
  spreadsheet: getExtensions("xlsx", "xlsb", "xls", "ods", "csv"),
}

function extensionsOf(type: string): readonly string[] {
  const extension = type.replace(/^\./, "").toLowerCase()
  const group = Object.hasOwn(groups, extension) ? groups[extension] : undefined
  return group ?? spellings.find((same) => same.includes(extension)) ?? [extension]
}

/** Case and composition of tags don't matter. */
const foldTag = (tag: string) => tag.normalize("NFC").toLowerCase()

/** A filter, prepared for many files. */
interface Wanted {
  extensions: ReadonlySet<string> | null
  tags: ReadonlySet<string> | null
  isInPath: ((path: string) => boolean) | null
  people: WantedPeople | null
}

const prepare = ({ types, tags, path, people }: FileFilter): Wanted => ({
  extensions: types ? new Set(types.flatMap(extensionsOf)) : null,
  tags: tags ? new Set(tags.map(foldTag)) : null,
  isInPath: path === undefined ? null : createGlob(path),
  people: people ? toWantedPeople(people) : null,
})

interface Candidate {
  id: string
  name: string
  subFolder: string
  tags: string | null
  people: string | null
}

const matches = ({ extensions, tags, isInPath, people }: Wanted, file: Candidate): boolean =>
  (extensions === null || extensions.has(getExtension(file.name))) &&
  (tags === null || getTags(file).some((tag) => tags.has(foldTag(tag)))) &&
  (isInPath === null || isInPath(getPath(file))) &&
  (people === null || people.matches(file.people ?? ""))

/** Finds the files of folders that a filter lets through. */
export type MatchFiles = (folderIds: readonly string[], filter: FileFilter) => Promise<string[]>

/** Maximum number of files that one statement reads, so that other work can run in between. The people of a file may be a long text. */
const filesPerStep = 2_000
const filesWithPeoplePerStep = 500
/** The database searches for each person separately; for more people than this, comparing all files here is faster. */
const maxSearchedPeople = 3
/** Maximum number of files that are compared without a pause for other work. */
const filesPerSlice = 100

/** Selects by what SQL compares exactly or nearly, then compares what is left file by file. */
export const createFileFilter =
  (db: DbOf<"files">): MatchFiles =>
  async (folderIds, filter) => {
    const { from, to, tags } = filter
    const wanted = prepare(filter)
    const date = sql<number>`coalesce("contentMs", "modifiedMs")`
    const { people } = wanted
    const step = people ? filesWithPeoplePerStep : filesPerStep
    let query = db
      .selectFrom("files")
      .select(["id", "name", "subFolder"])
      // Columns that no condition needs may be long.
      .select(sql<string | null>`${tags ? sql.ref("tags") : null}`.as("tags"))
      .select(sql<string | null>`${people ? sql.ref("people") : null}`.as("people"))
      .orderBy("id")
      .limit(step)
    if (from !== undefined) query = query.where(date, ">=", Date.parse(from))
    if (to !== undefined) query = query.where(date, "<", Date.parse(to) + dayMs)
    if (tags) query = query.where("tags", "is not", null)
    if (people) query = query.where("people", "is not", null)
    if (people && people.texts.length <= maxSearchedPeople)
      query = query.where((e) => e.or(people.texts.map((texts) => e.and(texts.map(containsText("people"))))))
    const found: string[] = []
    for (const folderId of folderIds) {
      const ofFolder = query.where("folderId", "=", folderId)
      let rows: Candidate[] = []
      do {
        rows = await ofFolder.where("id", ">", rows.at(-1)?.id ?? "").execute()
        for await (const part of chunksWithYield(rows, filesPerSlice))
          found.push(...part.filter((file) => matches(wanted, file)).map(({ id }) => id))
      } while (rows.length === step)
    }
    return found
  }

const containsText = (column: string) => (text: string) =>
  sql<SqlBool>`${sql.ref(column)} LIKE ${containsAnywhere(text)} ESCAPE '\\'`

/** Up to this number of files, the list of those that are left out wouldn't be searched faster. */
const fewFiles = 1_000

/**
 * Selects for a search the files that a filter lets through, and all files of chats' own folders, which hold what a person attached to a
 * question.
 */
export async function selectFiles(
  match: MatchFiles,
  folders: readonly { id: string; isOfChat: boolean }[],
  filter: FileFilter,
): Promise<{ count: number; files: FileSelection }> {
  const getIds = (ofChats: boolean) =>
    folders.filter(({ isOfChat }) => isOfChat === ofChats).map(({ id }) => id)
  const fileIds = [...(await match(getIds(false), filter)), ...(await match(getIds(true), {}))]
  const count = fileIds.length
  if (count <= fewFiles) return { count, files: { listed: "only", fileIds } }
  const all = await match(getIds(false), {})
  if (count < all.length / 2) return { count, files: { listed: "only", fileIds } }
  const matching = new Set(fileIds)
  return { count, files: { listed: "except", fileIds: all.filter((id) => !matching.has(id)) } }
}
