import { extname } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import type { FileEntry } from "../../../shared/contract/files.ts"
import type { FiledAs, FilingDraft } from "../../../shared/contract/filing.ts"
import type { Visibility } from "../../../shared/contract/folders.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { parseRelativePath, quotable, storedName } from "../../core/files/path-jail.ts"
import { joinPath } from "./named-files.ts"

interface FilingFolder {
  name: string
  ownerId: string
  visibility: Visibility
  createdAt: string
}

export interface PlannedFiles {
  getFolder(fileId: string): Promise<string | null>
  read(ownerId: string, folderId: string, fileId: string): Promise<FileEntry>
}

export interface FilingPlannerDeps {
  files: PlannedFiles
  /** A folder that appears in lists; null for a chat's folder or if it doesn't exist. */
  folder(folderId: string): Promise<FilingFolder | null>
  /** The number of listed folders with this name that the owner has. */
  countNamed(ownerId: string, name: string): Promise<number>
  /** Whether remote models may not read a folder. */
  staysHere(folderId: string): Promise<boolean>
}

export type NoteDraft = Extract<FilingDraft, { action: "note" }>
export type ChangeDraft = Exclude<FilingDraft, NoteDraft>

/** The current and the planned state of a file, and the folders that it is in before and after. */
interface FilingPlan {
  folder: FilingFolder
  target: FilingFolder
  was: FiledAs
  became: FiledAs
}

/** Finds the files of drafts, and determines and describes what a draft would change. */
export class FilingPlanner {
  readonly #deps: FilingPlannerDeps

  constructor(deps: FilingPlannerDeps) {
    this.#deps = deps
  }

  /** Finds a file in one of the owner's listed folders. */
  async find(ownerId: string, fileId: string) {
    const { files } = this.#deps
    const folderId = await files.getFolder(fileId)
    const folder = folderId === null ? null : await this.#deps.folder(folderId)
    if (folderId === null || folder?.ownerId !== ownerId)
      throw new AppError("not_found", sentence("files.none_such"))
    return { folder, file: await files.read(ownerId, folderId, fileId), folderId }
  }

  /** A file of a folder that stays on this computer can't move to a folder that may leave it. */
  async canMove(from: string, to: string): Promise<boolean> {
    return !(await this.#deps.staysHere(from)) || (await this.#deps.staysHere(to))
  }

  async plan(ownerId: string, draft: ChangeDraft): Promise<FilingPlan> {
    const { folder, folderId, file } = await this.find(ownerId, draft.fileId)
    const before = toFiledAs(folderId, file)
    const plan = { folder, target: folder, was: before }
    if (draft.action === "tag") return { ...plan, became: { ...before, tags: normaliseTags(draft.tags) } }
    if (draft.action === "rename") {
      const name = ensureExtension(draft.name, extname(file.name))
      if (name === file.name) throw nameTaken(name)
      return { ...plan, became: { ...before, name } }
    }
    const target = await this.#deps.folder(draft.vectorId)
    if (target?.ownerId !== ownerId) throw new AppError("not_found", sentence("folders.none_such"))
    if (!(await this.canMove(folderId, draft.vectorId))) throw mustStay(folder)
    const path = parseRelativePath(joinPath(draft.folder, file.name))
    const after = { ...before, vectorId: draft.vectorId, folder: path.slice(0, -1).join("/") }
    if (after.vectorId === before.vectorId && after.folder === before.folder) throw nameTaken(file.name)
    return { ...plan, target, became: after }
  }

  async planNote(ownerId: string, draft: NoteDraft) {
    const found = await this.find(ownerId, draft.fileId)
    return { ...found, name: ensureExtension(draft.name ?? found.file.name, ".md") }
  }

  async describe(ownerId: string, draft: FilingDraft): Promise<{ summary: Sentence; readers: Visibility }> {
    if (draft.action === "note") {
      const { folder, file, name } = await this.planNote(ownerId, draft)
      const count = Array.from(draft.content).length
      const note = sentence("filing.note", { ...(await this.#quoteNames(file, folder)), name, count })
      return { summary: addReaders(folder, note), readers: folder.visibility }
    }
    const plan = await this.plan(ownerId, draft)
    return { summary: await this.#summarise(draft.action, plan), readers: plan.target.visibility }
  }

  async #summarise(
    action: ChangeDraft["action"],
    { folder, target, was: before, became: after }: FilingPlan,
  ): Promise<Sentence> {
    const what = await this.#quoteNames(before, folder)
    if (action === "move") {
      const path = sentence("filing.path", { path: quotable(joinPath(target.name, after.folder)) })
      const move = sentence("filing.move", { ...what, target: await this.#disambiguate(target, path) })
      return hasMoreReaders(target.visibility, folder.visibility) ? addReaders(target, move) : move
    }
    if (action === "rename")
      return addReaders(folder, sentence("filing.rename", { ...what, name: after.name }))
    if (after.tags.length === 0) return sentence("filing.untag", what)
    const tags = quotable(after.tags.join(", "))
    return addReaders(folder, sentence("filing.tag", { ...what, tags }))
  }

  /** Names the file in a question. Names are quoted, because those in a followed directory and of folders may contain anything. */
  async #quoteNames({ folder, name }: Pick<FiledAs, "folder" | "name">, filingFolder: FilingFolder) {
    return {
      file: quotable(joinPath(folder, name)),
      folder: await this.#disambiguate(filingFolder, quotable(filingFolder.name)),
    }
  }

  /** Adds the creation date of a folder if its owner has several folders with this name. */
  async #disambiguate<Name extends string | Sentence>(
    { ownerId, name, createdAt }: FilingFolder,
    folder: Name,
  ): Promise<Name | Sentence> {
    if ((await this.#deps.countNamed(ownerId, name)) < 2) return folder
    return sentence("filing.folder_created", { folder, created: formatLocalTime(createdAt) })
  }
}

export const toFiledAs = (vectorId: string, { folder, name, tags = [] }: FileEntry): FiledAs => ({
  vectorId,
  folder,
  name,
  tags,
})

/** Ranks visibility by how many people can read the folder. */
const readers: Record<Visibility, number> = { PRIVATE: 0, TEAM: 1, PUBLIC: 2 }

/** Whether more people can read folders with the first visibility than with the second. */
export const hasMoreReaders = (one: Visibility, other: Visibility): boolean => readers[one] > readers[other]

/** Adds who else can read the content of a folder. */
function addReaders({ visibility }: FilingFolder, what: Sentence): Sentence {
  if (visibility === "PRIVATE") return what
  return sentence(visibility === "TEAM" ? "filing.team_reads" : "filing.everyone_reads", { what })
}

/** "2026-03-01 14:05:09". The Swedish date format can't be misread in any interface language. */
const formatLocalTime = (iso: string): string => new Date(iso).toLocaleString("sv-SE")

/** Returns a name that can be stored, with the ending that keeps the file's type. */
function ensureExtension(given: string, ending: string): string {
  const name = storedName(given)
  return storedName(extname(name).toLowerCase() === ending.toLowerCase() ? name : name + ending)
}

const normaliseTags = (tags: readonly string[]): string[] => [
  ...new Set(tags.map((tag) => tag.normalize("NFC"))),
]

export const mustStay = ({ name }: { name: string }) =>
  new AppError("forbidden", sentence("filing.stays_here", { folder: name }))
export const nameTaken = (name: string) => new AppError("conflict", sentence("filing.name_taken", { name }))
