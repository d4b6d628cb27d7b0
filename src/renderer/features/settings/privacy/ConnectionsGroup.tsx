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
import { useRef, useState } from "react"
import { Link } from "wouter"
import { type Egress, type EgressOutcome, EgressPurpose } from "../../../../shared/contract/privacy.ts"
import {
  egressPageSize,
  useEgressPages,
  type EgressFilter,
  egressCsvPath,
  useClearEgress,
} from "../../../data/privacy.ts"
import { useSession, useOwner } from "../../../data/session.ts"
import { describeError } from "../../../lib/box.ts"
import { download } from "../../../lib/browser/download.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showError } from "../../../lib/toasts.ts"
import { formatFullMoment, formatSize } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { useVirtualRows } from "../../../ui/scrolling.ts"
import { formatWhen } from "../format-when.ts"

const purposeIcons: Record<EgressPurpose, LucideIcon> = {
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
function ConnectionRow({ connection, self }: ConnectionRowProps) {
  if (!connection) return null
  const { startedAt, purpose, host, outcome, user, chat, assistant, tool } = connection
  const Icon = purposeIcons[purpose]
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

const rowHeight = 60

/** Connections, newest first. Only the visible rows are rendered, and only their pages are loaded. */
function ConnectionList({ filter }: { filter: EgressFilter }) {
  const { data: session } = useSession()
  const scroller = useRef<HTMLElement>(null)
  // Kept while other pages are loading.
  const [knownTotal, setKnownTotal] = useState<number>()
  const virtualizer = useVirtualRows({ count: knownTotal ?? 0, scroller, estimateSize: () => rowHeight })
  const items = virtualizer.getVirtualItems()
  const firstPage = Math.floor((items[0]?.index ?? 0) / egressPageSize)
  const lastPage = Math.floor((items.at(-1)?.index ?? 0) / egressPageSize)
  const pages = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index)
  const results = useEgressPages(filter, pages)

  const total = results.find((result) => result.data)?.data?.pagination.total ?? knownTotal
  const error = results.find((result) => result.error)?.error
  if (total !== knownTotal) setKnownTotal(total)
  const connectionAt = (index: number) =>
    results[Math.floor(index / egressPageSize) - firstPage]?.data?.egress[index % egressPageSize]

  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (total === undefined) return <Spinner label={t("common:loading")} />
  if (total === 0) {
    const filtered = filter.host !== "" || filter.purpose !== undefined
    return (
      <p className="rounded-lg border border-line p-4 text-sm text-soft">
        {t(filtered ? "privacy:list.noMatch" : "privacy:list.none")}
      </p>
    )
  }
  return (
    <section
      ref={scroller}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
      tabIndex={0}
      aria-label={t("privacy:list.title")}
      className="@container max-h-[max(18rem,55vh)] overflow-y-auto rounded-lg border border-line"
    >
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ key, index, start }) => (
          <li
            key={key}
            aria-setsize={total}
            aria-posinset={index + 1}
            className="absolute inset-x-0 border-b border-line last:border-b-0"
            style={{ height: rowHeight, transform: `translateY(${start}px)` }}
          >
            <ConnectionRow connection={connectionAt(index)} self={session?.user.id} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The log of outgoing connections, to view, export and clear. */
export function ConnectionsGroup() {
  const owner = useOwner()
  const [host, setHost] = useState("")
  const [purpose, setPurpose] = useState<EgressPurpose>()
  const [clearing, setClearing] = useState(false)
  const clear = useClearEgress()
  const filter = { host: useDebounced(host.trim()), purpose }
  return (
    <SettingsGroup
      title={t("privacy:list.title")}
      description={t(owner ? "privacy:list.description" : "privacy:list.descriptionForMembers")}
      action={
        <div className="flex shrink-0 gap-1">
          {owner && (
            <Button variant="quiet" onClick={() => setClearing(true)}>
              {t("privacy:list.clear")}
            </Button>
          )}
          <Button onClick={() => void download(egressCsvPath(filter))}>
            <Download aria-hidden /> {t("privacy:list.export")}
          </Button>
        </div>
      }
    >
      <div className="mb-3 flex items-center gap-2 text-sm">
        <SearchField
          label={t("privacy:list.host")}
          value={host}
          onChange={setHost}
          maxLength={255}
          className="min-w-0 flex-1"
        />
        <select
          aria-label={t("privacy:list.purpose")}
          value={purpose ?? ""}
          onChange={({ target }) => setPurpose(EgressPurpose.safeParse(target.value).data)}
          className="h-8 max-w-1/2 rounded-md border border-line-strong bg-field px-2 hover:border-faint"
        >
          <option value="">{t("privacy:list.everyPurpose")}</option>
          {EgressPurpose.options.map((each) => (
            <option key={each} value={each}>
              {t(`privacy:purpose.${each}`)}
            </option>
          ))}
        </select>
      </div>
      <ConnectionList key={JSON.stringify(filter)} filter={filter} />
      <ConfirmDialog
        open={clearing}
        onClose={() => setClearing(false)}
        onConfirm={() => clear.mutate(undefined, { onError: showError })}
        title={t("privacy:list.clearTitle")}
        description={t("privacy:list.clearDescription")}
        confirmLabel={t("privacy:list.clear")}
      />
    </SettingsGroup>
  )
}
