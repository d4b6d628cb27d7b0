import { useInfiniteQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { Eye, HardDrive, KeyRound, Settings, Cpu, Users, type LucideIcon, Download } from "lucide-react"
import { useState } from "react"
import { getAuditGroup } from "../../../../shared/audit-groups.ts"
import type { Person } from "../../../../shared/contract/accounts.ts"
import {
  auditLog,
  AuditGroup,
  type AuditDetails,
  type AuditEntry,
  type AuditOutcome,
} from "../../../../shared/contract/audit-log.ts"
import { useSession } from "../../../data/session.ts"
import { box, describeError } from "../../../lib/box.ts"
import { download } from "../../../lib/browser/download.ts"
import { formatFullMoment } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { formatWhen } from "../format-when.ts"
import { usePeople } from "../people/people.tsx"

const auditFilePath = auditLog.file.path

interface AuditFilter {
  group: AuditGroup | undefined
  actorId: string | undefined
}

const pageSize = 50

/** Returns the entries, newest first, one page at a time. */
function useAuditLog({ group, actorId }: AuditFilter) {
  return useInfiniteQuery({
    queryKey: ["audit-log", group, actorId],
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam === "" ? {} : { before: pageParam }
      const filter = { ...(group && { group }), ...(actorId !== undefined && { actorId }) }
      return box.auditLog.list({ query: { limit: pageSize, ...before, ...filter } }, { signal })
    },
    initialPageParam: "",
    getNextPageParam: ({ entries, hasMore }) => (hasMore ? entries.at(-1)?.id : undefined),
    staleTime: 0,
  })
}

const groupIcons: Record<AuditGroup, LucideIcon> = {
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
function AuditRow({ entry, people, self }: AuditRowProps) {
  const { at, action, subject, outcome } = entry
  const Icon = groupIcons[getAuditGroup(action)]
  const about = subject?.name ?? people?.find(({ id }) => id === subject?.id)?.name ?? subject?.id
  const entryDetails = getDetails(entry.details)
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
          {entryDetails !== "" && <span className="text-faint">{` · ${entryDetails}`}</span>}
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

/** Entries that match a filter, newest first. */
function AuditList({ filter }: { filter: AuditFilter }) {
  const { data: session } = useSession()
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useAuditLog(filter)
  const { data: people } = usePeople()
  const entries = data?.pages.flatMap((page) => page.entries) ?? []
  const isFiltered = filter.group !== undefined || filter.actorId !== undefined
  return (
    <>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {isPending && <Spinner label={t("common:loading")} />}
      {data && entries.length === 0 && (
        <p className="rounded-lg border border-line p-4 text-sm text-soft">
          {t(isFiltered ? "audit:noMatch" : "audit:none")}
        </p>
      )}
      {entries.length > 0 && (
        <ul aria-label={t("audit:section")} className="divide-y divide-line rounded-lg border border-line">
          {entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} people={people} self={session?.user.id} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button className="mt-3" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("audit:more")}
        </Button>
      )}
    </>
  )
}

const selectClasses =
  "h-8 min-w-0 max-w-full rounded-md border border-line-strong bg-field px-2 hover:border-faint"

/** The audit log, for owners. */
export function AuditSection() {
  const { data: people } = usePeople()
  const [group, setGroup] = useState<AuditGroup>()
  const [actorId, setActorId] = useState<string>()
  return (
    <SettingsGroup
      title={t("audit:section")}
      description={t("audit:description")}
      action={
        <Button onClick={() => void download(auditFilePath)}>
          <Download aria-hidden /> {t("audit:download")}
        </Button>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2 text-sm">
        <select
          aria-label={t("audit:group")}
          value={group ?? ""}
          onChange={({ target }) => setGroup(AuditGroup.safeParse(target.value).data)}
          className={selectClasses}
        >
          <option value="">{t("audit:everyGroup")}</option>
          {AuditGroup.options.map((each) => (
            <option key={each} value={each}>
              {t(`audit:groups.${each}`)}
            </option>
          ))}
        </select>
        <select
          aria-label={t("audit:person")}
          value={actorId ?? ""}
          onChange={({ target }) => setActorId(target.value === "" ? undefined : target.value)}
          className={selectClasses}
        >
          <option value="">{t("audit:everyone")}</option>
          {people?.map(({ id, name, email }) => (
            <option key={id} value={id}>
              {`${name} (${email})`}
            </option>
          ))}
        </select>
      </div>
      <AuditList filter={{ group, actorId }} />
    </SettingsGroup>
  )
}
