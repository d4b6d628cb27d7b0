import { t } from "i18next"
import type { ErrorBody } from "../../../../shared/contract/errors.ts"
import { formatCount, formatRoughTime } from "../../../lib/words/format.ts"
import { inPageLanguage } from "../../../lib/words/sentence.ts"

/** How much reading everything would be; what the box says where it doesn't tell. */
export function tooMuchInWords({ error, sentence, details }: ErrorBody): string {
  const { characters, estimatedSeconds } = (details ?? {}) as Record<string, unknown>
  if (typeof characters !== "number" || typeof estimatedSeconds !== "number")
    return inPageLanguage(error, sentence)
  return t("chat:reading.tooMuch", {
    characters: formatCount(characters),
    time: formatRoughTime(estimatedSeconds),
  })
}
