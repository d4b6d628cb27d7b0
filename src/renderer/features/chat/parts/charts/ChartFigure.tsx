import { t } from "i18next"
import { ChartColumn, Check, Copy, Download, Table } from "lucide-react"
import { Suspense, useMemo, useRef, useState } from "react"
import type { Chart } from "../../../../../shared/contract/charts.ts"
import { copyText } from "../../../../lib/browser/clipboard.ts"
import { saveCanvas } from "../../../../lib/browser/save-file.ts"
import { toCsv } from "../../../../lib/words/csv.ts"
import { IconButton } from "../../../../ui/controls/Button.tsx"
import { chartRows } from "./chart-table.ts"
import { ChartTable } from "./ChartTable.tsx"
import { visibleText } from "../../../../lib/words/visible-text.ts"
import { later } from "../../../../lib/later.ts"

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
