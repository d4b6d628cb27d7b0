import { t } from "i18next"
import { ChartColumn, Check, Copy, Download, Table } from "lucide-react"
import { Suspense, useMemo, useRef, useState } from "react"
import type { Chart } from "../../../../../shared/contract/charts.ts"
import { copyText } from "../../../../lib/browser/clipboard.ts"
import { saveCanvas } from "../../../../lib/browser/download.ts"
import { later } from "../../../../lib/later.ts"
import { toCsv } from "../../../../lib/words/csv.ts"
import { formatCount } from "../../../../lib/words/format.ts"
import { visibleText } from "../../../../lib/words/visible-text.ts"
import { IconButton } from "../../../../ui/controls/Button.tsx"

interface ChartRows {
  head: string[]
  rows: (string | number | null)[][]
}

/** A chart's numbers in rows and columns, with one row per label or, for a scatter chart, per point. */
export function chartRows({ kind, labels = [], series, xLabel = "", yLabel = "" }: Chart): ChartRows {
  if (kind === "scatter") {
    return {
      head: ["", xLabel || "x", yLabel || "y"],
      rows: series.flatMap(({ name, points = [] }) => points.map(({ x, y }) => [name, x, y])),
    }
  }
  return {
    head: [xLabel, ...series.map(({ name }) => name)],
    rows: labels.map((label, index) => [label, ...series.map(({ values }) => values?.[index] ?? null)]),
  }
}

const maxRows = 500

/** A chart's numbers as a table, also for screen readers. */
function ChartTable({ table, label }: { table: ChartRows; label: string }) {
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

const ChartCanvas = later(async () => (await import("./ChartCanvas.tsx")).ChartCanvas)

const copiedMs = 1500

/** Shows a chart from a model's answer, as an image or as a table. */
export function ChartFigure({ chart }: { chart: Chart }) {
  const [asTable, setAsTable] = useState(false)
  const [copied, setCopied] = useState(false)
  const canvas = useRef<HTMLCanvasElement>(null)
  const table = useMemo(() => chartRows(chart), [chart])
  const title = visibleText(chart.title ?? "")
  const label = t("tools:chart.label", {
    title: title === "" ? t(`tools:chart.kind.${chart.kind}`) : title,
    series: chart.series.map(({ name }) => visibleText(name)).join(", "),
  })

  async function copy() {
    await copyText(toCsv([table.head, ...table.rows]))
    setCopied(true)
    setTimeout(() => setCopied(false), copiedMs)
  }

  return (
    <figure className="rounded-lg border border-line p-3" aria-label={label}>
      <figcaption className="mb-2 flex min-h-7 items-center gap-0.5">
        <span className="min-w-0 flex-1 truncate pl-1 font-medium" title={title}>
          {title === "" ? t(`tools:chart.kind.${chart.kind}`) : title}
        </span>
        <IconButton
          label={asTable ? t("tools:chart.picture") : t("tools:chart.table")}
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? <ChartColumn aria-hidden /> : <Table aria-hidden />}
        </IconButton>
        <IconButton label={copied ? t("tools:copied") : t("tools:chart.copyCsv")} onClick={() => void copy()}>
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        </IconButton>
        <IconButton
          label={t("tools:chart.download")}
          disabled={asTable}
          onClick={() => canvas.current && saveCanvas(canvas.current, `${fileName(title)}.png`)}
        >
          <Download aria-hidden />
        </IconButton>
      </figcaption>
      {asTable ? (
        <ChartTable table={table} label={label} />
      ) : (
        <Suspense fallback={<div className="h-72" />}>
          <ChartCanvas chart={chart} label={label} canvas={canvas} />
        </Suspense>
      )}
    </figure>
  )
}

/** A file name that every operating system accepts. */
const fileName = (title: string): string =>
  title
    .replaceAll(/[^\p{L}\p{N} _-]/gu, " ")
    .trim()
    .slice(0, 80) || "chart"
