import { t } from "i18next"
import type { ErrorBody } from "../../../../shared/contract/errors.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { describeTooMuch } from "./too-much.ts"

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
