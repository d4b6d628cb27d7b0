import { t } from "i18next"
import { useMemo } from "react"
import { usePinnedScroll } from "../use-pinned-scroll.ts"
import type { Piece } from "./parse/growing-text.ts"
import { findColumns } from "./parse/table-cells.ts"
import { TableRows } from "./TableRows.tsx"
import type { TextBudget } from "./text-budget.ts"

interface LongTableProps {
  /** Each piece includes the table's header. */
  pieces: readonly Piece[]
  /** Limits for the whole text. */
  budget: TextBudget
  /** Whether more rows will arrive. */
  growing: boolean
}

/**
 * A table that is read in several pieces, with one header that stays in view. Its columns don't depend on later cells, so new rows don't
 * move existing ones.
 */
export function LongTable({ pieces, budget, growing }: LongTableProps) {
  const { scroller, content } = usePinnedScroll<HTMLElement, HTMLTableElement>(growing)
  const beginning = pieces[0]?.text ?? ""
  const columns = useMemo(() => findColumns(beginning), [beginning])
  return (
    <section
      ref={scroller}
      aria-label={t("chat:markdown.table")}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
      tabIndex={0}
      className="long-table my-3 max-h-[60vh] overflow-auto focus-visible:-outline-offset-2"
    >
      <table ref={content} style={{ minWidth: `${columns.reduce((sum, { width }) => sum + width, 0)}em` }}>
        <colgroup>
          {columns.map(({ width, grows }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- columns stay where they are
            <col key={index} style={{ width: grows ? undefined : `${width}em` }} />
          ))}
        </colgroup>
        {pieces.map(({ text, offset, repeats }) => (
          <TableRows
            key={offset}
            text={text}
            offset={offset}
            repeats={repeats}
            budget={budget}
            columns={columns.length}
          />
        ))}
      </table>
    </section>
  )
}
