import { t } from "i18next"
import { Eye, HardDrive, KeyRound, Settings, Cpu, Users, type LucideIcon } from "lucide-react"
import type {
  AuditDetails,
  AuditEntry,
  AuditGroup,
  AuditOutcome,
} from "../../../../shared/contract/audit-log.ts"
import type { Person } from "../../../../shared/contract/accounts.ts"
import { getAuditGroup } from "../../../../shared/audit-groups.ts"
import { formatFullMoment } from "../../../lib/words/format.ts"
import { classNames } from "../../../ui/class-names.ts"
import { formatWhen } from "../format-when.ts"

const icons: Record<AuditGroup, LucideIcon> = {
  people: Users,
  keys: KeyRound,
  access: Eye,
  settings: Settings,
  models: Cpu,
  storage: HardDrive,
}

const outcomeClasses: Record<AuditOutcome, string> = {
  done: "text-soft",
  begun: "text-warning",
  failed: "text-danger",
}

interface AuditRowProps {
  entry: AuditEntry
  /** Used to name people whom an entry identifies only by id. */
  people: readonly Person[] | undefined
  /** Id of the user viewing the entry. */
  self: string | undefined
}

/** One entry: the action, its subject, who did it, when, and the outcome. */
export function AuditRow({ entry, people, self }: AuditRowProps) {
  const { at, action, subject, outcome } = entry
  const Icon = icons[getAuditGroup(action)]
  const about = subject?.name ?? people?.find(({ id }) => id === subject?.id)?.name ?? subject?.id
  const told = getDetails(entry.details)
  return (
    <li className="flex items-start gap-3 px-3 py-2.5 text-sm">
      <Icon className="mt-0.5 size-4 shrink-0 text-faint" strokeWidth={1.75} aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="break-words">
          <span className="font-medium">{t(`audit:actions.${action}`)}</span>
          {about != null && <span className="text-soft">{` · ${about}`}</span>}
        </p>
        <p className="mt-0.5 text-xs break-words text-soft">
          <span title={entry.actor?.email}>{describeActor(entry, self)}</span>
          {told !== "" && <span className="text-faint">{` · ${told}`}</span>}
        </p>
      </div>
      <div className="shrink-0 text-right text-xs">
        <time dateTime={at} title={formatFullMoment(at)} className="text-soft">
          {formatWhen(at)}
        </time>
        <p className={classNames("mt-0.5", outcomeClasses[outcome])}>{t(`audit:outcomes.${outcome}`)}</p>
      </div>
    </li>
  )
}

function describeActor({ actor, via, key }: AuditEntry, self: string | undefined): string {
  if (actor === null) return t(via === "command" ? "audit:byCommand" : "audit:byItself")
  const who = actor.id === self ? t("audit:you") : actor.name
  return via === "key" ? t("audit:withKey", { who, key: key?.name || key?.prefix || "?" }) : who
}

/** Uses the contract's field names; each has a translation. */
const getDetails = (details: AuditDetails): string =>
  Object.entries(details)
    .map(([name, value]) => (value === null ? name : `${name}: ${value}`))
    .join(", ")
