import { t } from "i18next"
import { formatCount } from "../../../../lib/words/format.ts"
import type { ChartRows } from "./chart-table.ts"
import { visibleText } from "../../../../lib/words/visible-text.ts"

const maxRows = 500

/** A chart's numbers as a table, also for screen readers. */
export function ChartTable({ table, label }: { table: ChartRows; label: string }) {
  const { head, rows } = table
  return (
    <>
      <section
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        aria-label={label}
        className="max-h-72 overflow-auto rounded-md focus-visible:-outline-offset-2"
      >
        <table className="w-full text-left text-sm tabular-nums">
          <caption className="sr-only">{label}</caption>
          <thead className="sticky top-0 bg-well text-xs text-soft">
            <tr>
              {head.map((name, index) => (
                <th
                  // oxlint-disable-next-line react/no-array-index-key -- columns stay where they are
                  key={index}
                  scope="col"
                  className={index > 0 ? "px-3 py-1.5 text-right font-medium" : "px-3 py-1.5 font-medium"}
                >
                  {visibleText(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.slice(0, maxRows).map(([name, ...values], row) => (
              // oxlint-disable-next-line react/no-array-index-key -- neither do rows move
              <tr key={row}>
                <th scope="row" className="px-3 py-1 font-normal break-words">
                  {visibleText(String(name ?? ""))}
                </th>
                {values.map((value, column) => (
                  // oxlint-disable-next-line react/no-array-index-key -- nor columns
                  <td key={column} className="px-3 py-1 text-right">
                    {typeof value === "number" ? formatNumber(value) : "–"}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > maxRows && (
        <p className="mt-2 text-xs text-faint">
          {t("tools:chart.cut", { shown: formatCount(maxRows), all: formatCount(rows.length) })}
        </p>
      )}
    </>
  )
}

const formatNumber = (value: number): string => formatCount(Number(value.toPrecision(12)))
