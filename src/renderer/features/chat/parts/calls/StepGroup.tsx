import { t } from "i18next"
import { ListTree } from "lucide-react"
import { Suspense } from "react"
import type { PendingApproval } from "../../../../../shared/contract/chat.ts"
import { useApprovals } from "../../../../data/chats/approvals.ts"
import { Spinner } from "../../../../ui/Progress.tsx"
import { chatSession } from "../../session/chat-sessions.ts"
import { getFailure, type CallStep, type Step } from "../arrange-parts.ts"
import { callTitle } from "./call-appearance.ts"
import { Fold } from "../Fold.tsx"
import { StepLine } from "./StepLine.tsx"
import { later } from "../../../../lib/later.ts"

const ApprovalCard = later(async () => (await import("./ApprovalCard.tsx")).ApprovalCard)

interface StepGroupProps {
  steps: Step[]
  growing: boolean
  chatId: string
  messageId: string
  /** Its position in the chat. */
  place: string
}

/** A model's steps in one unobtrusive line, with the calls that await approval below. */
export function StepGroup({ steps, growing, chatId, messageId, place }: StepGroupProps) {
  const open = steps.filter(isOpen)
  const { data } = useApprovals(chatId, open.length > 0)
  const waiting = (data ?? []).filter(
    (approval) =>
      (growing || approval.messageId === messageId) &&
      open.some(({ call }) => call.toolCallId === getCall(approval)),
  )
  const shown = steps.flatMap((step): Step[] => {
    const asked = waiting.find(
      (approval) => step.type === "call" && step.call.toolCallId === getCall(approval),
    )
    if (asked === undefined || step.type !== "call") return [step]
    // A call that awaits approval is shown on its card. A task stays visible while one of its calls awaits approval.
    return asked.delegation === undefined ? [] : [{ ...step, waits: true }]
  })
  return (
    <div className="flex flex-col gap-2">
      {shown.length > 1 ? (
        <Fold place={place} summary={<Summary steps={shown} growing={growing} />}>
          <ol className="ml-1.5 flex flex-col gap-0.5 border-l border-line pl-3">
            {shown.map((step, index) => (
              // Steps are only added at the end, so the index is a stable key.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index}>
                <StepLine
                  step={step}
                  running={growing && isRunning(step, index === shown.length - 1)}
                  place={`${place}/${index}`}
                />
              </li>
            ))}
          </ol>
        </Fold>
      ) : (
        shown.map((step) => (
          <StepLine key="only" step={step} running={growing && isRunning(step, true)} place={`${place}/0`} />
        ))
      )}
      {waiting.map((approval) => (
        <Suspense key={approval.toolCallId}>
          <ApprovalCard chatId={chatId} approval={approval} onResumed={() => chatSession(chatId).attach()} />
        </Suspense>
      ))}
    </div>
  )
}

/** Returns the call in this answer that an approval concerns. */
const getCall = ({ delegation, toolCallId }: PendingApproval) => delegation?.toolCallId ?? toolCallId

const isOpen = (step: Step): step is CallStep => step.type === "call" && step.result === undefined

const isRunning = (step: Step, last: boolean): boolean => (step.type === "call" ? isOpen(step) : last)

/** All steps in one line: the one in progress, or the kinds of steps taken. */
function Summary({ steps, growing }: { steps: Step[]; growing: boolean }) {
  const running = growing
    ? steps.find((step, index) => isRunning(step, index === steps.length - 1))
    : undefined
  const names = [...new Set(steps.map(stepName))]
  const failed = steps.filter((step) => step.type === "call" && getFailure(step) !== undefined).length
  return (
    <>
      {running ? <Spinner /> : <ListTree className="size-4 shrink-0" aria-hidden />}
      <span className="shrink-0">{t("tools:steps", { count: steps.length })}</span>
      <span className="min-w-0 truncate text-faint">{running ? stepName(running) : names.join(" · ")}</span>
      {failed > 0 && (
        <span className="shrink-0 text-danger">{t("tools:failedCount", { count: failed })}</span>
      )}
    </>
  )
}

const stepName = (step: Step): string => (step.type === "call" ? callTitle(step) : t("tools:done.reasoning"))
