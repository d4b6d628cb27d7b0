import { t } from "i18next"
import { ShieldQuestionMark } from "lucide-react"
import { useId } from "react"
import type { ApprovalAnswer, PendingApproval } from "../../../../../shared/contract/chat.ts"
import { coreTools, isFilingTool } from "../../../../../shared/contract/tools.ts"
import { unclearAddresses } from "./unclear-addresses.ts"
import { useAssistants } from "../../../../data/assistants.ts"
import { useAnswerApproval } from "../../../../data/chats/approvals.ts"
import { describeError, hasCode } from "../../../../lib/box.ts"
import { showToast } from "../../../../lib/toasts.ts"
import { inPageLanguage } from "../../../../lib/words/sentence.ts"
import { formatFullMoment } from "../../../../lib/words/format.ts"
import { Button } from "../../../../ui/controls/Button.tsx"
import { Note } from "../../../../ui/Note.tsx"
import { LongText } from "../../../../ui/text/LongText.tsx"
import { ArgumentList } from "./ArgumentList.tsx"
import { callWanted, memoryChange } from "./call-look.ts"
import { visibleText } from "../../../../lib/words/visible-text.ts"

/** Functions of servers count as changing something until their user says that they only read. */
const isUnknownChange = ({ toolName, reasonCode }: PendingApproval): boolean =>
  reasonCode === "write" && !Object.hasOwn(coreTools, toolName)

/** Of an address or of words, the box says which, and where it met them; of filing, what would become of which file. */
const reasonOf = (approval: PendingApproval): string => {
  const { toolName, reasonCode, reason, sentence } = approval
  if (reasonCode === "address" || reasonCode === "untrusted" || isFilingTool(toolName))
    return visibleText(inPageLanguage(reason, sentence))
  return t(`tools:reason.${isUnknownChange(approval) ? "mayWrite" : reasonCode}`)
}

/** What is said of the file and the folder in a sentence needn't stand there by its id. */
function withoutIds(args: unknown): unknown {
  if (typeof args !== "object" || args === null) return args
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== "file" && name !== "folder"))
}

/** The text if it is the only argument of a call, such as a fact to remember; undefined if there are others. */
function wholeText(toolName: string, args: unknown): string | undefined {
  if (toolName !== "memory" || memoryChange(args) === undefined) return undefined
  const { action: _, text, id: _id, replaces: _replaces, ...others } = args as Record<string, unknown>
  return typeof text === "string" && Object.keys(others).length === 0 ? text : undefined
}

/** The remembered fact that a new one takes the place of. */
function replacedFact(toolName: string, args: unknown): string | undefined {
  if (toolName !== "memory" || memoryChange(args) !== "remember") return undefined
  const { replaces } = args as { replaces?: unknown }
  return typeof replaces === "string" ? replaces : undefined
}

interface ApprovalCardProps {
  chatId: string
  approval: PendingApproval
  /** The assistant that asks, where its answer isn't on screen. */
  assistantId?: string | null
  /** Its person chose: the card goes once the box has that. */
  onAnswer?: () => void
  /** Joins the answer that goes on, where its chat is on screen. The box tells of the end of one that no app follows. */
  onResumed?: () => Promise<void>
}

/** Asks whether a tool call may run: what it is, with which arguments, and why there is a question at all. */
export function ApprovalCard({ chatId, approval, assistantId, onAnswer, onResumed }: ApprovalCardProps) {
  const { toolCallId, toolName, args, reasonCode, expiresAt, delegation } = approval
  const { mutateAsync, isPending, variables, error } = useAnswerApproval(chatId)
  const assistant = useAssistants().data?.find((each) => each.id === assistantId)
  const asker = delegation
    ? t("tools:askedBy", { handle: delegation.handle })
    : assistant && t("tools:asks", { name: visibleText(assistant.name) })
  const text = wholeText(toolName, args)
  const replaced = replacedFact(toolName, args)
  const id = useId()

  function answer(chosen: ApprovalAnswer): void {
    onAnswer?.()
    // By then the card is gone. Should joining fail, news of the chat has it joined all the same.
    void mutateAsync({ toolCallId, ...chosen }).then(
      ({ resumed }) => (resumed ? onResumed?.().catch(() => undefined) : undefined),
      // What failed stands on the card; one that doesn't wait any more has none.
      (failure: unknown) => {
        if (hasCode(failure, "conflict") || hasCode(failure, "not_found"))
          showToast(describeError(failure), "error")
      },
    )
  }

  const chosen = (decision: ApprovalAnswer["decision"], remember?: "chat") =>
    isPending && variables.decision === decision && variables.remember === remember
  return (
    <section
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-asker ${id}-reason`}
      className="animate-appear rounded-lg border border-line-strong bg-raised p-4"
    >
      <div className="flex items-start gap-2.5">
        <ShieldQuestionMark className="mt-0.5 size-5 shrink-0 text-warning" strokeWidth={1.75} aria-hidden />
        <div className="min-w-0 flex-1">
          {asker !== undefined && (
            <p id={`${id}-asker`} className="mb-0.5 text-xs break-words text-faint">
              {asker}
            </p>
          )}
          <h2 id={`${id}-title`} className="font-medium break-words">
            {callWanted(toolName, args)}
          </h2>
          <p id={`${id}-reason`} className="mt-0.5 text-sm break-words text-soft">
            {reasonOf(approval)}
          </p>
        </div>
      </div>
      <div className="my-3 flex flex-col gap-2">
        {unclearAddresses(args).map(({ written, host }) => (
          <Note key={written} kind="warning">
            <span className="break-words">
              {host === null
                ? t("tools:leadsNowhere", { address: visibleText(written) })
                : t("tools:leadsTo", { address: visibleText(written), host })}
            </span>
          </Note>
        ))}
        {text === undefined ? (
          <ArgumentList args={isFilingTool(toolName) ? withoutIds(args) : args} />
        ) : (
          <Fact text={text} />
        )}
        {replaced !== undefined && (
          <>
            <p className="text-sm text-soft">{t("memory:replaces")}</p>
            <Fact text={replaced} />
          </>
        )}
      </div>
      {error && (
        <div className="mb-3">
          <Note kind="error">{describeError(error)}</Note>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button busy={chosen("allow")} disabled={isPending} onClick={() => answer({ decision: "allow" })}>
          {t("tools:allowOnce")}
        </Button>
        <Button busy={chosen("deny")} disabled={isPending} onClick={() => answer({ decision: "deny" })}>
          {t("tools:deny")}
        </Button>
        {/* An address that nobody named is asked about also where the tool was allowed. */}
        {reasonCode !== "address" && (
          <Button
            variant="quiet"
            busy={chosen("allow", "chat")}
            disabled={isPending}
            onClick={() => answer({ decision: "allow", remember: "chat" })}
          >
            {t("tools:allowInChat")}
          </Button>
        )}
        <p className="ml-auto text-xs text-faint">
          {t("tools:expires", { moment: formatFullMoment(expiresAt) })}
        </p>
      </div>
    </section>
  )
}

const Fact = ({ text }: { text: string }) => (
  <blockquote
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
    tabIndex={0}
    className="max-h-48 overflow-y-auto border-l-2 border-line-strong pl-3 text-sm break-words whitespace-pre-wrap"
  >
    <LongText text={visibleText(text)} />
  </blockquote>
)
