import { t } from "i18next"
import type { FileEntry } from "../../../../../shared/contract/files.ts"
import { isPicture } from "../../../../data/folders/files.ts"
import { getReason } from "../../../../lib/words/sentence.ts"
import { formatPercent } from "../../../../lib/words/format.ts"

/** Describes the progress of a chat's file, or what can't be read of it. Undefined if it is fine. */
export function fileState(file: FileEntry): string | undefined {
  const { status, progress } = file
  if (status === "queued") return t("chat:attach.queued")
  if (status === "processing") return t("chat:attach.indexing", { share: formatPercent(progress / 100) })
  // A model may still be able to see an image without text.
  const isWordless = isPicture(file.name) && file.reasons?.every(({ code }) => code === "no_text")
  return (isWordless === true ? undefined : getReason(file)) ?? undefined
}
