import { t } from "i18next"
import { Hand, Inbox } from "lucide-react"
import { useActivity } from "../../data/chats/conversations.ts"
import { useShownUnread } from "../../features/notifications/deletions.ts"
import { inboxAreaIds, areas } from "../../lib/navigation/areas.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { formatCount } from "../../lib/words/format.ts"
import { SidebarLink } from "./SidebarLink.tsx"

/** Maximum waiting chats listed by name; the inbox lists all. */
const maxNamed = 3

const partRoutes = inboxAreaIds.map((id) => areas[id].route)

/** The inbox with its unread count. Chats that wait for a decision are listed below it, if there are any. */
export function SidebarInbox() {
  const unread = useShownUnread()
  const { approvals } = useActivity()
  const waiting = [...Map.groupBy(approvals, ({ chatId }) => chatId).values()].flatMap(
    (some) => some[0] ?? [],
  )
  return (
    <>
      <SidebarLink
        href={routes.inbox}
        otherRoutes={partRoutes}
        icon={<Inbox aria-hidden />}
        end={
          unread > 0 && (
            <span className="ml-auto shrink-0 text-xs text-faint tabular-nums">
              <span aria-hidden>{formatCount(unread)}</span>
              <span className="sr-only">{t("frame:unread", { count: unread })}</span>
            </span>
          )
        }
      >
        {t("areas:inbox")}
      </SidebarLink>
      {waiting.length > 0 && (
        <section aria-label={t("tools:waitingForYou")} className="pb-1">
          <h2 className="px-2 pt-1.5 pb-0.5 text-xs font-medium text-warning">{t("tools:waitingForYou")}</h2>
          {waiting.slice(0, maxNamed).map(({ chatId, title }) => (
            <SidebarLink
              key={chatId}
              href={routes.chat(chatId)}
              icon={<Hand className="text-warning" aria-hidden />}
              title={title}
            >
              {title}
            </SidebarLink>
          ))}
          {waiting.length > maxNamed && (
            <SidebarLink href={routes.inbox} icon={<span className="w-4" />}>
              {t("frame:moreWaiting", { count: waiting.length - maxNamed })}
            </SidebarLink>
          )}
        </section>
      )}
    </>
  )
}
