import { t } from "i18next"
import { ArrowDown, ArrowUp } from "lucide-react"
import { useRef } from "react"
import type { Fact, FactKind } from "../../../../shared/contract/facts.ts"
import { formatDate, formatFact } from "../../../lib/words/format-fact.ts"
import { formatLocation } from "../../../lib/words/format.ts"
import { useVirtualRows } from "../../../ui/scrolling.ts"
import type { FactOrder } from "./arrange-facts.ts"
import { MiddleCut } from "../../../ui/text/MiddleCut.tsx"

const rowHeight = 52
const headHeight = 32

interface FactTableProps {
  facts: readonly Fact[]
  kind: FactKind
  order: FactOrder
  onOrder: (by: FactOrder["by"]) => void
  onOpen: (fact: Fact) => void
}

/** Dates or amounts with their sentence and document. Only the visible rows are rendered. */
export function FactTable({ facts, kind, order, onOrder, onOpen }: FactTableProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualRows({ count: facts.length, scroller, estimateSize: () => rowHeight })
  const items = virtual.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  const getSort = (by: FactOrder["by"]) => (order.by === by ? order : undefined)
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-auto border-t border-line [overflow-anchor:none]"
      style={{ scrollPaddingTop: headHeight }}
    >
      <table
        aria-rowcount={facts.length + 1}
        className="w-full min-w-120 table-fixed border-separate border-spacing-0 text-sm"
      >
        <caption className="sr-only">{t(`overview:kind.${kind}`)}</caption>
        <colgroup>
          <col className="w-36" />
          <col />
          <col className="w-1/3" />
        </colgroup>
        <thead className="sticky top-0 z-10 bg-canvas text-xs text-soft">
          <tr style={{ height: headHeight }}>
            <SortableHead sort={getSort("value")} onSort={() => onOrder("value")}>
              {t(kind === "amounts" ? "overview:column.amount" : "overview:column.date")}
            </SortableHead>
            <th scope="col" className="border-b border-line px-3 text-left font-medium">
              {t("overview:column.sentence")}
            </th>
            <SortableHead sort={getSort("file")} onSort={() => onOrder("file")}>
              {t("overview:column.document")}
            </SortableHead>
          </tr>
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {items.map(({ index }) => {
            const fact = facts[index]
            return (
              fact && <FactRow key={index} fact={fact} rowIndex={index + 2} onOpen={() => onOpen(fact)} />
            )
          })}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  )
}

interface SortableHeadProps {
  sort: FactOrder | undefined
  onSort: () => void
  children: string
}

function SortableHead({ sort, onSort, children }: SortableHeadProps) {
  const Arrow = sort?.descending === true ? ArrowDown : ArrowUp
  const told = sort && (sort.descending ? "descending" : "ascending")
  return (
    <th scope="col" aria-sort={told ?? "none"} className="border-b border-line p-0 font-medium">
      <button
        type="button"
        onClick={onSort}
        className="flex h-8 w-full items-center gap-1 px-3 hover:bg-hover hover:text-ink focus-visible:-outline-offset-2"
      >
        <span className="truncate">{children}</span>
        {sort && <Arrow className="size-3 shrink-0" aria-hidden />}
      </button>
    </th>
  )
}

interface FactRowProps {
  fact: Fact
  rowIndex: number
  onOpen: () => void
}

/** A click anywhere in the row opens the document at this passage. By keyboard, the value does. */
function FactRow({ fact, rowIndex, onOpen }: FactRowProps) {
  const { text, sentence, fileName, location } = fact
  const cell = "overflow-hidden border-b border-line px-3"
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the button in it has them
    <tr
      aria-rowindex={rowIndex}
      onClick={onOpen}
      className="cursor-pointer hover:bg-hover"
      style={{ height: rowHeight }}
    >
      <td className={cell}>
        <button
          type="button"
          title={text}
          className="block max-w-full truncate rounded font-medium tabular-nums focus-visible:-outline-offset-1"
        >
          {formatFact(fact)}
        </button>
        {fact.kind === "date" && fact.otherDate !== null && (
          <span className="block truncate text-xs text-warning" title={t("overview:unclearHint")}>
            {t("overview:or", { date: formatDate(fact.otherDate) })}
          </span>
        )}
      </td>
      <td className={cell} title={sentence}>
        <span dir="auto" className="line-clamp-2 break-words text-soft">
          {sentence}
        </span>
      </td>
      <td className={cell}>
        <span className="block truncate" title={fileName}>
          <MiddleCut text={fileName} />
        </span>
        <span className="block truncate text-xs text-faint" title={formatLocation(location)}>
          {formatLocation(location)}
        </span>
      </td>
    </tr>
  )
}
