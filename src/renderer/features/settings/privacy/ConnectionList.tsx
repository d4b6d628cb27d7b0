import { t } from "i18next"
import { useRef, useState } from "react"
import { useSession } from "../../../data/session.ts"
import { egressPageSize, useEgressPages, type EgressFilter } from "../../../data/privacy.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { useVirtualRows } from "../../../ui/scrolling.ts"
import { ConnectionRow } from "./ConnectionRow.tsx"

const rowHeight = 60

/** Connections, newest first. Only the visible rows are rendered, and only their pages are loaded. */
export function ConnectionList({ filter }: { filter: EgressFilter }) {
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
