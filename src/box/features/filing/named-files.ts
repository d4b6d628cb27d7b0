import { AppError } from "../../../shared/contract/errors.ts"
import type { FileEntry } from "../../../shared/contract/files.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** Joins folder and file names with `/`, outermost first. Empty names are left out. */
export const joinPath = (...names: readonly string[]): string => names.filter((name) => name !== "").join("/")

/** Limits which files can be named: those in the user's own folders among these. */
export interface Scope {
  userId: string
  folderIds: readonly string[]
}

/** Maximum number of files with the same name checked in each folder to find the one with the given path. */
const maxExamined = 200

interface FoldersByName {
  /** Sorts folders by whether the user may search them. */
  accessible(userId: string, folderIds: readonly string[]): Promise<{ allowed: string[] }>
  named(folderIds: readonly string[]): Promise<{ id: string; name: string; ownerId: string }[]>
}

interface FilesByName {
  getFolder(fileId: string): Promise<string | null>
  list(
    userId: string,
    folderId: string,
    query: { limit: number; offset: number; called: string },
  ): Promise<{ files: FileEntry[] }>
}

/** Finds files and folders of a chat by the ID or name that a model gives. */
export function createNamedFiles(access: FoldersByName, stored: FilesByName) {
  async function own({ userId, folderIds }: Scope) {
    const { allowed } = await access.accessible(userId, folderIds)
    return (await access.named(allowed)).filter(({ ownerId }) => ownerId === userId)
  }

  return {
    /** Throws `not_found`, or `validation` if several files have the name. */
    async findFile(scope: Scope, name: string): Promise<string> {
      const folders = await own(scope)
      const folderId = await stored.getFolder(name)
      if (folders.some(({ id }) => id === folderId)) return name
      const wanted = name.normalize("NFC")
      const called = wanted.split("/").at(-1) ?? wanted
      const found: string[] = []
      for (const { id, name: folderName } of folders) {
        const { files } = await stored.list(scope.userId, id, { limit: maxExamined, offset: 0, called })
        for (const file of files) {
          const path = joinPath(file.folder, file.name)
          const names = [file.name, path, `${folderName}/${path}`].map((each) => each.normalize("NFC"))
          if (names.includes(wanted)) found.push(file.id)
        }
      }
      const [first] = found
      if (first === undefined) throw new AppError("not_found", sentence("tools.no_such_document"))
      if (found.length > 1)
        throw new AppError("validation", sentence("filing.several_files", { all: found.join(", ") }))
      return first
    },

    /** Throws `not_found`, with a list of the existing folders. */
    async findFolder(scope: Scope, name: string): Promise<string> {
      const folders = await own(scope)
      const alike = (one: string) =>
        one.normalize("NFC").toLowerCase() === name.normalize("NFC").toLowerCase()
      const called = folders.filter((folder) => folder.id === name || alike(folder.name))
      const [first] = called
      if (first !== undefined && called.length === 1) return first.id
      const all = folders.map((folder) => `${folder.id} (${folder.name})`).join("; ")
      throw new AppError("not_found", sentence("tools.other_folder", { all }))
    },
  }
}
