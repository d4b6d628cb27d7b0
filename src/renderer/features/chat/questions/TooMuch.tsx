import { t } from "i18next"
import type { ErrorBody } from "../../../../shared/contract/errors.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { tooMuchInWords } from "./too-much.ts"

interface TooMuchProps {
  problem: ErrorBody
  /** Asks the same with the best passages alone. */
  onPassages: () => void
}

/** Why a question isn't asked that wants more read than is allowed, and the way that always goes. */
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
      {tooMuchInWords(problem)}
    </Note>
  )
}
