import { t } from "i18next"
import { ArrowDown, ArrowUp } from "lucide-react"
import { useRef } from "react"
import type { Fact, FactKind } from "../../../../shared/contract/facts.ts"
import { hasYear, formatDate, formatFact } from "../../../lib/words/format-fact.ts"
import { formatLocation } from "../../../lib/words/format.ts"
import { useVirtualRows } from "../../../ui/scrolling.ts"
import { MiddleCut } from "../../../ui/text/LongText.tsx"

export interface FactOrder {
  by: "value" | "file"
  descending: boolean
}

/**
 * Returns the facts whose sentence, text or file contains all words of the filter, in this order. Equal facts keep their original order.
 */
export function arrangeFacts(facts: readonly Fact[], filter: string, { by, descending }: FactOrder): Fact[] {
  const words = filter.toLowerCase().split(/\s+/)
  const sign = descending ? -1 : 1
  return facts
    .filter((fact) => {
      const searched = `${fact.sentence} ${fact.text} ${fact.fileName}`.toLowerCase()
      return words.every((word) => searched.includes(word))
    })
    .toSorted(
      (a, b) =>
        yearsFirst(a, b, by) || sign * (by === "file" ? byText(a.fileName, b.fileName) : byValue(a, b)),
    )
}

const byText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)

/** Dates without a year come last in both directions, because their position is unknown. */
const yearsFirst = (a: Fact, b: Fact, by: FactOrder["by"]): number =>
  by === "value" ? Number(isYearless(a)) - Number(isYearless(b)) : 0
const isYearless = (fact: Fact) => fact.kind === "date" && !hasYear(fact.date)

function byValue(a: Fact, b: Fact): number {
  if (a.kind === "date" && b.kind === "date") return byText(a.date, b.date)
  if (a.kind === "amount" && b.kind === "amount") return byText(a.currency, b.currency) || a.value - b.value
  return 0
}

/** The first press on a column sorts in ascending order, the next one in descending order. */
export const nextOrder = (order: FactOrder, by: FactOrder["by"]): FactOrder => ({
  by,
  descending: order.by === by && !order.descending,
})

type Cell = string | number | null

/** Facts as spreadsheet rows, starting with a header row, with exact values and the location of each fact. */
export function factRows(facts: readonly Fact[], kind: FactKind): Cell[][] {
  const values =
    kind === "amounts"
      ? [t("overview:column.amount"), t("overview:column.currency")]
      : [t("overview:column.date"), t("overview:column.otherDate"), t("overview:column.deadline")]
  const places = ["written", "sentence", "document", "place"] as const
  return [
    [...values, ...places.map((name) => t(`overview:column.${name}`))],
    ...facts.map((fact) => [
      ...getValues(fact),
      fact.text,
      fact.sentence,
      fact.fileName,
      formatLocation(fact.location),
    ]),
  ]
}

const getValues = (fact: Fact): Cell[] =>
  fact.kind === "amount"
    ? [fact.value, fact.currency]
    : // A spreadsheet would read a date without a year as a date in the current year.
      [hasYear(fact.date) ? fact.date : null, fact.otherDate, fact.isDeadline ? t("overview:yes") : ""]

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
  const searched = sort && (sort.descending ? "descending" : "ascending")
  return (
    <th scope="col" aria-sort={searched ?? "none"} className="border-b border-line p-0 font-medium">
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
