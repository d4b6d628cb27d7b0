import { t } from "i18next"
import { useSession } from "../../../data/session.ts"
import { describeError } from "../../../lib/box.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { usePeople } from "../people/people.ts"
import { useAuditLog, type AuditFilter } from "./audit-log.ts"
import { AuditRow } from "./AuditRow.tsx"

/** Entries that match a filter, newest first. */
export function AuditList({ filter }: { filter: AuditFilter }) {
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
