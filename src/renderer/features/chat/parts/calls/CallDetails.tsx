import { t } from "i18next"
import { Suspense } from "react"
import { Note } from "../../../../ui/Note.tsx"
import { getFailure, type CallStep } from "../arrange-parts.ts"
import { Delegation, getDelegation } from "./Delegation.tsx"
import { Fold } from "../Fold.tsx"
import { getFolderCall } from "../folder-calls/read-folder-call.ts"
import { JsonBlock } from "./JsonBlock.tsx"
import { later } from "../../../../lib/later.ts"

const FolderCallDetails = later(
  async () => (await import("../folder-calls/FolderCallDetails.tsx")).FolderCallDetails,
)

interface CallDetailsProps {
  step: CallStep
  /** Its position in the chat. */
  place: string
}

/** A call's complete arguments and result, below a more readable version if there is one. */
export function CallDetails({ step, place }: CallDetailsProps) {
  const failure = getFailure(step)
  const delegation = getDelegation(step)
  const folderCall = getFolderCall(step)
  return (
    <div className="ml-1.5 flex flex-col gap-2 border-l border-line pl-3">
      {delegation && <Delegation {...delegation} />}
      {failure !== undefined && <Note kind="error">{failure}</Note>}
      {folderCall ? (
        <>
          <Suspense>
            <FolderCallDetails call={folderCall} />
          </Suspense>
          <Fold place={`${place}/exact`} summary={t("tools:exact")}>
            <ExactCall step={step} />
          </Fold>
        </>
      ) : (
        <ExactCall step={step} />
      )}
    </div>
  )
}

function ExactCall({ step: { call, result, waits } }: { step: CallStep }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="font-mono text-xs text-faint">{call.toolName}</p>
      <JsonBlock label={t("tools:arguments")} value={call.args} />
      {result ? (
        <JsonBlock label={t("tools:result")} value={result.result} />
      ) : (
        <p className="text-faint">{waits === true ? t("tools:waits") : t("tools:noResult")}</p>
      )}
    </div>
  )
}
