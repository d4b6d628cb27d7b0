import { t } from "i18next"
import type { FileEntry } from "../../../../../shared/contract/files.ts"
import { isPicture } from "../../../../data/folders/file-pages.ts"
import { reasonOf } from "../../../../lib/words/file-reason.ts"
import { formatPercent } from "../../../../lib/words/format.ts"

/** Where a chat's file is on its way, or what can't be read of it; undefined where all is well. */
export function fileState(file: FileEntry): string | undefined {
  const { status, progress } = file
  if (status === "queued") return t("chat:attach.queued")
  if (status === "processing") return t("chat:attach.indexing", { share: formatPercent(progress / 100) })
  // A model may see a picture all the same.
  const isWordless = isPicture(file.name) && file.reasons?.every(({ code }) => code === "no_text")
  return (isWordless === true ? undefined : reasonOf(file)) ?? undefined
}
