import type { AgeTimes } from "../../core/age-clock.ts"
import { trashPath } from "../../core/data-layout.ts"
import { createTrash } from "../../core/files/trash.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { Deletions } from "../../features/deletions/service.ts"
import type { PassageStore } from "../../features/files/passages/passage-store.ts"
import { createFiles, type FilesDeps } from "../../features/files/service.ts"
import { createFolders, type FoldersDeps } from "../../features/folders/service.ts"

interface JoinedDeps
  extends
    Omit<FilesDeps, "db" | "noteDeletion" | "blocks" | "trash">,
    Omit<FoldersDeps, "db" | "times" | "contents" | "findPassagesById" | "deletions"> {
  ingestion: FilesDeps["ingestion"] & { retryEmbedding(): void }
  db: DbOf<"files" | "folders">
  times: AgeTimes
  /** Whether the data directory still belongs to this box. */
  isInPlace: () => boolean
  passages: Pick<PassageStore, "findByIds" | "blocks">
  deletions: Deletions
  stack: AsyncDisposableStack
}

/** Connects folders and the files in them, which depend on one another. */
export function joinFolders({ passages, deletions, stack, ...deps }: JoinedDeps) {
  const trash = createTrash(trashPath(deps.dataDir), deps.times, deps.isInPlace)
  const files = stack.use(
    createFiles({ ...deps, trash, blocks: passages.blocks, noteDeletion: deletions.note }),
  )
  deletions.handle("file", files.deletable)
  const folders = createFolders({
    ...deps,
    contents: { ...files, wakeIngestion: deps.ingestion.wake, retryEmbedding: deps.ingestion.retryEmbedding },
    findPassagesById: passages.findByIds,
    deletions,
  })
  deletions.handle("folder", folders.deletable)
  return { trash, files, folders }
}
