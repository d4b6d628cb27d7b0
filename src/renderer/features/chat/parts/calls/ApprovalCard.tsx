import { t } from "i18next"
import { ShieldQuestionMark } from "lucide-react"
import { useId } from "react"
import { Link } from "wouter"
import type { ApprovalAnswer, PendingApproval, WaitingApproval } from "../../../../../shared/contract/chat.ts"
import { coreTools, isFilingTool } from "../../../../../shared/contract/tools.ts"
import { useAssistants } from "../../../../data/assistants.ts"
import { useAnswerApproval } from "../../../../data/chats/approvals.ts"
import { useActivity } from "../../../../data/chats/conversations.ts"
import { describeError, hasCode } from "../../../../lib/box.ts"
import { routes } from "../../../../lib/navigation/routes.ts"
import { showError } from "../../../../lib/toasts.ts"
import { formatFullMoment } from "../../../../lib/words/format.ts"
import { toPageLanguage } from "../../../../lib/words/sentence.ts"
import { visibleJson, visibleText } from "../../../../lib/words/visible-text.ts"
import { Note } from "../../../../ui/Note.tsx"
import { Button } from "../../../../ui/controls/Button.tsx"
import { LongText } from "../../../../ui/text/LongText.tsx"
import { usePassedFocus } from "../../../../ui/use-passed-focus.ts"
import { callWanted, memoryChange } from "./call-appearance.ts"

/** An address, as written, that leads somewhere other than it appears to. */
interface UnclearAddress {
  written: string
  /** The actual host, in ASCII (punycode); null if the address can't be opened as written. */
  host: string | null
}

const anyAddress = /https?:[\\/]{2}[^\s<>"']+/giu
/** The characters at which a reader expects the host to end. Look-alikes of them don't count, and a host doesn't end at them. */
const hostAsRead = /^https?:\/\/([^/?#]*)/iu

/** Returns the addresses in a value's texts whose host isn't in plain letters or isn't what appears in the host's position. */
export function unclearAddresses(value: unknown): UnclearAddress[] {
  const written = new Set(textsIn(value).flatMap((text) => text.match(anyAddress) ?? []))
  return [...written].flatMap((address) => {
    const url = URL.canParse(address) ? new URL(address) : null
    const shownHost = hostAsRead.exec(address)?.[1]?.toLowerCase().replace(/:\d*$/, "")
    if (url !== null && shownHost === url.hostname) return []
    return [{ written: address, host: url?.host ?? null }]
  })
}

/** Property names are included, because a remote tool may accept addresses as names. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [name, ...textsIn(part)])
}

/** A call's complete arguments for the person who decides, each under its name. Text is shown as plain text, never as markup. */
function ArgumentList({ args }: { args: unknown }) {
  const entries =
    typeof args === "object" && args !== null && !Array.isArray(args) ? Object.entries(args) : undefined
  if (!entries) return <Value value={args} />
  return (
    <dl className="flex max-h-96 flex-col gap-2 overflow-y-auto">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt className="mb-0.5 font-mono text-xs break-all text-faint">{visibleText(name)}</dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value }: { value: unknown }) {
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
      tabIndex={0}
      dir="ltr"
      className="max-h-48 overflow-auto rounded-md border border-line bg-field px-2 py-1 font-mono text-xs break-words whitespace-pre-wrap text-ink focus-visible:-outline-offset-2"
    >
      <LongText text={visibleJson(value)} />
    </pre>
  )
}

/** Tools of MCP servers are assumed to change something until the user marks them as read-only. */
const isUnknownChange = ({ toolName, reasonCode }: PendingApproval): boolean =>
  reasonCode === "write" && !Object.hasOwn(coreTools, toolName)

/** For addresses and words, the box states which one and where it was found; for filing, what would happen to which file. */
const getReason = (approval: PendingApproval): string => {
  const { toolName, reasonCode, reason, sentence } = approval
  if (reasonCode === "address" || reasonCode === "untrusted" || isFilingTool(toolName))
    return visibleText(toPageLanguage(reason, sentence))
  return t(`tools:reason.${isUnknownChange(approval) ? "mayWrite" : reasonCode}`)
}

/** Removes file and folder IDs, because the sentence already names the file and the folder. */
function omitIds(args: unknown): unknown {
  if (typeof args !== "object" || args === null) return args
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== "file" && name !== "folder"))
}

/** Returns the text if it is a call's only argument, such as a fact to remember; otherwise undefined. */
function wholeText(toolName: string, args: unknown): string | undefined {
  if (toolName !== "memory" || memoryChange(args) === undefined) return undefined
  const { action: _, text, id: _id, replaces: _replaces, ...others } = args as Record<string, unknown>
  return typeof text === "string" && Object.keys(others).length === 0 ? text : undefined
}

/** Returns the remembered fact that a new one replaces. */
function replacedFact(toolName: string, args: unknown): string | undefined {
  if (toolName !== "memory" || memoryChange(args) !== "remember") return undefined
  const { replaces } = args as { replaces?: unknown }
  return typeof replaces === "string" ? replaces : undefined
}

interface ApprovalCardProps {
  chatId: string
  approval: PendingApproval
  /** The assistant that asks, if its answer isn't on screen. */
  assistantId?: string | null
  /** Called when the user has chosen. The card is removed after the box has recorded the choice. */
  onAnswer?: () => void
  /** Joins the resumed answer if its chat is on screen. If no app follows the answer, the box notifies the user when it ends. */
  onResumed?: () => Promise<void>
}

/** Asks whether a tool call may run. Shows the call, its arguments, and why approval is needed. */
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
    // The card is already gone by then. If joining fails, the next news about the chat joins the answer anyway.
    void mutateAsync({ toolCallId, ...chosen }).then(
      ({ resumed }) => (resumed ? onResumed?.().catch(() => undefined) : undefined),
      // Errors are shown on the card, except for a call that no longer waits, because its card is gone.
      (failure: unknown) => {
        if (hasCode(failure, "conflict") || hasCode(failure, "not_found")) showError(failure)
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
            {getReason(approval)}
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
          <ArgumentList args={isFilingTool(toolName) ? omitIds(args) : args} />
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
        {/* An unknown address needs approval even if the tool was allowed. */}
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

type OnLeave = (() => void) | undefined

/** Calls from all chats that await the user's approval. Each can be allowed or denied here, under its chat's title. */
export function WaitingCalls({ onLeave }: { onLeave?: OnLeave }) {
  const { approvals } = useActivity()
  if (approvals.length === 0) return null
  return (
    <section aria-label={t("tools:waitingForYou")} className="border-b border-line bg-well px-3 pt-2 pb-3">
      <h2 className="px-1 pb-1 text-xs font-medium text-faint">{t("tools:waitingForYou")}</h2>
      <ul className="flex flex-col gap-2">
        {approvals.map((approval) => (
          <WaitingCall
            key={`${approval.chatId} ${approval.toolCallId}`}
            approval={approval}
            onLeave={onLeave}
          />
        ))}
      </ul>
    </section>
  )
}

function WaitingCall({ approval, onLeave }: { approval: WaitingApproval; onLeave: OnLeave }) {
  const { chatId, title, assistantId } = approval
  const { item, leave } = usePassedFocus()
  return (
    <li {...item} className="rounded-lg">
      <Link
        href={routes.chat(chatId)}
        onClick={onLeave}
        className="mb-1 block truncate rounded px-1 text-sm text-soft hover:text-ink hover:underline"
      >
        {title}
      </Link>
      <ApprovalCard chatId={chatId} approval={approval} assistantId={assistantId} onAnswer={leave} />
    </li>
  )
}
