import { t } from "i18next"
import type { ErrorBody } from "../../../../shared/contract/errors.ts"
import { formatCount, formatRoughTime } from "../../../lib/words/format.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"

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

interface TooMuchProps {
  problem: ErrorBody
  /** Asks the same question with the best passages only. */
  onPassages: () => void
}

/** Explains that a question would read more than is allowed, and offers the best passages instead. */
export function TooMuch({ problem, onPassages }: TooMuchProps) {
  return (
    <Note
      kind="warning"
      action={
        <Button variant="quiet" className="-my-1.5" onClick={onPassages}>
          {t("chat:reading.withPassages")}
        </Button>
      }
    >
      {describeTooMuch(problem)}
    </Note>
  )
}
