import { t } from "i18next"
import { Lightbulb, ListTree } from "lucide-react"
import { Suspense, createElement } from "react"
import type { PendingApproval } from "../../../../../shared/contract/chat.ts"
import { useApprovals } from "../../../../data/chats/approvals.ts"
import { later } from "../../../../lib/later.ts"
import { visibleText } from "../../../../lib/words/visible-text.ts"
import { Note } from "../../../../ui/Note.tsx"
import { Spinner } from "../../../../ui/Progress.tsx"
import { LazyMarkdown } from "../../../../ui/markdown/LazyMarkdown.tsx"
import { LongText } from "../../../../ui/text/LongText.tsx"
import { formatDuration } from "../../answer/AnswerActions.tsx"
import { chatSession } from "../../session/chat-sessions.ts"
import { Fold } from "../Fold.tsx"
import { getFailure, type CallStep, isDenied, type Step } from "../arrange-parts.ts"
import { getFolderCall } from "../folder-calls/read-folder-call.ts"
import { JsonBlock } from "./JsonBlock.tsx"
import { callIcon, callSubject, callTitle } from "./call-appearance.ts"

interface DelegationProps {
  handle: string
  task: string
  answer: string | undefined
  documents: string[]
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

/** Returns the task that a call delegated to another assistant, and its answer. Undefined for calls of other tools. */
function getDelegation(step: CallStep): DelegationProps | undefined {
  const { call, result } = step
  if (call.toolName !== "assistant" || typeof call.args !== "object" || call.args === null) return undefined
  const { handle, task } = call.args as Record<string, unknown>
  if (typeof handle !== "string" || typeof task !== "string") return undefined
  if (getFailure(step) !== undefined) return { handle, task, answer: undefined, documents: [] }
  const value = result?.result
  if (typeof value !== "object" || value === null) {
    return { handle, task, answer: typeof value === "string" ? value : undefined, documents: [] }
  }
  const { answer, documents } = value as Record<string, unknown>
  return {
    handle,
    task,
    answer: typeof answer === "string" ? answer : undefined,
    documents: strings(documents),
  }
}

/** The task delegated to another assistant, and its answer. */
function Delegation({ handle, task, answer, documents }: DelegationProps) {
  return (
    <section aria-label={t("tools:delegation")} className="rounded-lg border border-line p-3">
      <p className="text-xs text-faint">
        {t("tools:task", { handle: visibleText(handle.replace(/^@/, "")) })}
      </p>
      <p className="mt-1 max-h-40 overflow-y-auto break-words whitespace-pre-wrap text-ink">
        <LongText text={visibleText(task)} />
      </p>
      {answer !== undefined && (
        <>
          <p className="mt-3 text-xs text-faint">{t("tools:itsAnswer")}</p>
          <div className="mt-1 max-h-96 overflow-y-auto text-ink">
            <LazyMarkdown text={answer} />
          </div>
        </>
      )}
      {documents.length > 0 && (
        <p className="mt-2 text-xs break-words text-faint">
          {t("tools:itsDocuments", { names: documents.map(visibleText).join(", ") })}
        </p>
      )}
    </section>
  )
}

const FolderCallDetails = later(
  async () => (await import("../folder-calls/FolderCallDetails.tsx")).FolderCallDetails,
)

interface CallDetailsProps {
  step: CallStep
  /** Its position in the chat. */
  place: string
}

/** A call's complete arguments and result, below a more readable version if there is one. */
function CallDetails({ step, place }: CallDetailsProps) {
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

interface StepLineProps {
  step: Step
  running: boolean
  /** Its position in the chat. */
  place: string
}

/** One step in a line. Expanded, it shows the model's reasoning, or a call's arguments and result. */
function StepLine({ step, running, place }: StepLineProps) {
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
