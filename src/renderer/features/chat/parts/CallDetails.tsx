import { t } from "i18next"
import { Note } from "../../../ui/Note.tsx"
import { failureOf, type CallStep } from "./arrange-parts.ts"
import { Delegation, delegationOf } from "./Delegation.tsx"
import { JsonBlock } from "./JsonBlock.tsx"

/** What a tool was called with and what came of it, to the last character. */
export function CallDetails({ step }: { step: CallStep }) {
  const { call, result } = step
  const failure = failureOf(step)
  const delegation = delegationOf(step)
  return (
    <div className="ml-1.5 flex flex-col gap-2 border-l border-line pl-3">
      {delegation && <Delegation {...delegation} />}
      {failure !== undefined && <Note kind="error">{failure}</Note>}
      <p className="font-mono text-xs text-faint">{call.toolName}</p>
      <JsonBlock label={t("tools:arguments")} value={call.args} />
      {result ? (
        <JsonBlock label={t("tools:result")} value={result.result} />
      ) : (
        <p className="text-faint">{step.waits === true ? t("tools:waits") : t("tools:noResult")}</p>
      )}
    </div>
  )
}
