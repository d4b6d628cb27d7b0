import { describeError, hasCode } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { ModelLink } from "./AnswerSection.tsx"

/** Why a question wasn't taken. It stays in the composer. */
export function AskFailure({ error }: { error: unknown }) {
  const noModel = hasCode(error, "no_model")
  return (
    <div className="mx-auto w-full max-w-3xl px-6 pb-2">
      <Note kind={noModel ? "info" : "error"} action={noModel && <ModelLink code="no_model" />}>
        {noModel
          ? "There is no model yet. Choose a folder below to get quoted passages from it."
          : describeError(error)}
      </Note>
    </div>
  )
}
