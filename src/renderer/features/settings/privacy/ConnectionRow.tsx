import { t } from "i18next"
import {
  Archive,
  Bot,
  ArrowDown,
  ArrowUp,
  CircleUserRound,
  CloudSun,
  Cpu,
  Download,
  FileText,
  LifeBuoy,
  LogIn,
  MessageSquare,
  Plug,
  RefreshCw,
  Search,
  SpellCheck,
  SquareTerminal,
  Waypoints,
  type LucideIcon,
} from "lucide-react"
import { Link } from "wouter"
import type { Egress, EgressOutcome, EgressPurpose } from "../../../../shared/contract/privacy.ts"
import { formatFullMoment, formatSize } from "../../../lib/words/format.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { classNames } from "../../../ui/class-names.ts"
import { formatWhen } from "../format-when.ts"

const icons: Record<EgressPurpose, LucideIcon> = {
  "chat-model": Cpu,
  "embedding-model": Waypoints,
  "model-download": Download,
  "web-search": Search,
  "web-page": FileText,
  weather: CloudSun,
  integration: Plug,
  "sign-in": LogIn,
  program: SquareTerminal,
  "sender-picture": CircleUserRound,
  "assistant-picture": Bot,
  support: LifeBuoy,
  update: RefreshCw,
  dictionary: SpellCheck,
  "object-storage": Archive,
}

/** Successful connections need no label. */
const outcomeClasses: Record<Exclude<EgressOutcome, "ok">, string> = {
  open: "text-soft",
  refused: "text-warning",
  failed: "text-danger",
}

interface ConnectionRowProps {
  /** Undefined while it is loading. */
  connection: Egress | undefined
  /** Id of the user viewing the list. */
  self: string | undefined
}

/** One connection: its destination, purpose, user and size. */
export function ConnectionRow({ connection, self }: ConnectionRowProps) {
  if (!connection) return null
  const { startedAt, purpose, host, outcome, user, chat, assistant, tool } = connection
  const Icon = icons[purpose]
  const who = user === null ? t("privacy:row.itself") : user.id === self ? t("privacy:row.you") : user.name
  const what = [t(`privacy:purpose.${purpose}`), who, tool, assistant?.name].filter(Boolean).join(" · ")
  return (
    <div className="flex h-full items-center gap-3 px-3 text-sm">
      <Icon className="size-4 shrink-0 text-faint" strokeWidth={1.75} aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2">
          <span className="truncate font-medium" title={host}>
            {host}
          </span>
          {outcome !== "ok" && (
            <span className={classNames("shrink-0 text-xs", outcomeClasses[outcome])}>
              {t(`privacy:outcome.${outcome}`)}
            </span>
          )}
        </p>
        <p className="mt-0.5 flex items-center gap-1.5 text-xs text-soft">
          <span className="truncate" title={what}>
            {what}
          </span>
          {chat && (
            <Link
              href={routes.chat(chat.id)}
              title={chat.name}
              className="flex max-w-[40%] min-w-0 shrink-0 items-center gap-1 hover:text-ink hover:underline"
            >
              <MessageSquare className="size-3 shrink-0" aria-hidden />
              <span className="truncate">{chat.name}</span>
            </Link>
          )}
        </p>
      </div>
      <div className="shrink-0 text-right text-xs">
        <time dateTime={startedAt} title={formatFullMoment(startedAt)} className="text-soft">
          {formatWhen(startedAt)}
        </time>
        <Amounts {...connection} />
      </div>
    </div>
  )
}

function Amounts({ bytesSent, bytesReceived, outcome }: Egress) {
  if (outcome === "refused") return <p className="mt-0.5 text-faint">{t("privacy:row.nothing")}</p>
  if (bytesSent === null || bytesReceived === null)
    return <p className="mt-0.5 text-faint">{t("privacy:row.unseen")}</p>
  const [sent, received] = [formatSize(bytesSent), formatSize(bytesReceived)]
  return (
    <p className="mt-0.5 flex items-center justify-end gap-1 text-faint tabular-nums">
      <span className="sr-only">{t("privacy:row.amounts", { sent, received })}</span>
      <span className="flex items-center" title={t("privacy:row.sent", { size: sent })} aria-hidden>
        <ArrowUp className="size-3" /> {sent}
      </span>
      <span
        className="hidden items-center @md:flex"
        title={t("privacy:row.received", { size: received })}
        aria-hidden
      >
        <ArrowDown className="size-3" /> {received}
      </span>
    </p>
  )
}
