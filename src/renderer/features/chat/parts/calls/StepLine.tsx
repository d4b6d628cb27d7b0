import { t } from "i18next"
import { Lightbulb } from "lucide-react"
import { createElement } from "react"
import { LongText } from "../../../../ui/text/LongText.tsx"
import { Spinner } from "../../../../ui/Progress.tsx"
import { formatDuration } from "../../answer/format-duration.ts"
import { getFailure, isDenied, type CallStep, type Step } from "../arrange-parts.ts"
import { CallDetails } from "./CallDetails.tsx"
import { callIcon, callSubject, callTitle } from "./call-appearance.ts"
import { Fold } from "../Fold.tsx"
import { getFolderCall } from "../folder-calls/read-folder-call.ts"
import { visibleText } from "../../../../lib/words/visible-text.ts"

interface StepLineProps {
  step: Step
  running: boolean
  /** Its position in the chat. */
  place: string
}

/** One step in a line. Expanded, it shows the model's reasoning, or a call's arguments and result. */
export function StepLine({ step, running, place }: StepLineProps) {
  if (step.type === "reasoning") {
    return (
      <Fold
        place={place}
        summary={
          <>
            {running ? <Spinner /> : <Lightbulb className="size-4 shrink-0" aria-hidden />}
            {running ? t("tools:thinking") : t("tools:done.reasoning")}
          </>
        }
      >
        <p className="ml-1.5 border-l border-line pl-3 break-words whitespace-pre-wrap">
          <LongText text={step.text} />
        </p>
      </Fold>
    )
  }
  return (
    <Fold place={place} summary={<CallSummary step={step} running={running} />}>
      <CallDetails step={step} place={place} />
    </Fold>
  )
}

/** Returns the document that was read, and where. The call's arguments contain only an ID. */
function describeReadRange(step: CallStep): string {
  const found = step.call.toolName === "readFile" ? getFolderCall(step) : undefined
  const [range] = found?.kind === "texts" ? found.texts : []
  return range ? visibleText([range.file, range.place].filter((part) => part !== "").join(" · ")) : ""
}

function CallSummary({ step, running }: { step: CallStep; running: boolean }) {
  const { call, result } = step
  const subject = callSubject(call.toolName, call.args) || describeReadRange(step)
  return (
    <>
      {running ? (
        <Spinner label={t("tools:running")} />
      ) : (
        createElement(callIcon(call.toolName), { className: "size-4 shrink-0", "aria-hidden": true })
      )}
      <span className="shrink-0">{callTitle(step)}</span>
      {subject !== "" && <bdi className="min-w-0 truncate text-faint">{subject}</bdi>}
      {isDenied(step) && <span className="shrink-0 text-faint">{t("tools:denied")}</span>}
      {getFailure(step) !== undefined && <span className="shrink-0 text-danger">{t("tools:failed")}</span>}
      {result?.durationMs !== undefined && (
        <span className="shrink-0 text-xs text-faint tabular-nums">{formatDuration(result.durationMs)}</span>
      )}
    </>
  )
}
