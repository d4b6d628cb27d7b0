import { t } from "i18next"
import type { Cause } from "../../../shared/contract/automations.ts"
import { formatMoment, formatTime } from "../../lib/words/format.ts"

/** Describes why a run was started. */
export function causeWords(cause: Cause, fileName: string | undefined): string {
  if (cause.kind === "schedule") return t("automations:cause.schedule", { moment: momentWords(cause.at) })
  if (cause.kind === "hook") return t("automations:cause.hook")
  if (cause.kind === "manual" && cause.fileId === undefined) return t("automations:cause.manual")
  const name = fileName ?? t("automations:cause.aFile")
  return t(`automations:cause.${cause.kind === "file" ? "file" : "about"}`, { name })
}

/** Formats a moment as date and time, or as the time only if it is today. */
export const momentWords = (iso: string): string =>
  new Date(iso).toDateString() === new Date().toDateString()
    ? formatTime(iso)
    : t("automations:moment", { day: formatMoment(iso), time: formatTime(iso) })
