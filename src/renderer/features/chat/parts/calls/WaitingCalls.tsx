import { t } from "i18next"
import { Link } from "wouter"
import type { WaitingApproval } from "../../../../../shared/contract/chat.ts"
import { useActivity } from "../../../../data/chats/conversations.ts"
import { routes } from "../../../../lib/navigation/routes.ts"
import { usePassedFocus } from "../../../../ui/use-passed-focus.ts"
import { ApprovalCard } from "./ApprovalCard.tsx"

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
