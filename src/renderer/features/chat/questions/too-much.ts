import { t } from "i18next"
import type { ErrorBody } from "../../../../shared/contract/errors.ts"
import { formatCount, formatRoughTime } from "../../../lib/words/format.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"

/** How much there is to read, in words. Falls back to the box's message if it sends no size or time. */
export function describeTooMuch({ error, sentence, details }: ErrorBody): string {
  const { characters, estimatedSeconds } = (details ?? {}) as Record<string, unknown>
  if (typeof characters !== "number" || typeof estimatedSeconds !== "number")
    return toPageLanguage(error, sentence)
  return t("chat:reading.tooMuch", {
    characters: formatCount(characters),
    time: formatRoughTime(estimatedSeconds),
  })
}
