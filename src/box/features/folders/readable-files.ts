import { generatedIn, type GeneratedFiles } from "../../core/files/generated-files.ts"
import type { ReadableFile } from "../../tools/code-interpreter/input-files.ts"
import type { ToolContext } from "../../tools/tool.ts"
import type { FolderAccess } from "./access.ts"

export interface ReadableFilesDeps {
  access: Pick<FolderAccess, "accessible" | "named">
  files: {
    readable(
      userId: string,
      folderId: string,
      most: number,
      generated: GeneratedFiles,
    ): Promise<Pick<ReadableFile, "path" | "size" | "read">[]>
  }
}

/** Files for a model's program, folder by folder, from those of the folders that the user may search. Returns at most the given number. */
export function createReadableFiles({ access, files }: ReadableFilesDeps) {
  return async (
    { userId, folderIds, generated }: Pick<ToolContext, "userId" | "folderIds" | "generated">,
    most: number,
  ): Promise<ReadableFile[]> => {
    const { allowed } = await access.accessible(userId, folderIds)
    const found: ReadableFile[] = []
    for (const folder of await access.named(allowed)) {
      if (found.length >= most) break
      const { id, name } = folder
      const some = await files.readable(userId, id, most - found.length, generatedIn(folder, generated))
      found.push(...some.map((file) => ({ ...file, folderId: id, folder: name })))
    }
    return found
  }
}
