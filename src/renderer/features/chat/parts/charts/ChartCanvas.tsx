import { useEffect, type RefObject } from "react"
import type { Chart } from "../../../../../shared/contract/charts.ts"
import { onThemeChange, readChartColours } from "./chart-colours.ts"
import { drawChart } from "./draw-chart.ts"

interface ChartCanvasProps {
  chart: Chart
  label: string
  canvas: RefObject<HTMLCanvasElement | null>
}

/** Draws a chart on a canvas, in the colours of the theme. */
export function ChartCanvas({ chart, label, canvas }: ChartCanvasProps) {
  useEffect(() => {
    const element = canvas.current
    const frame = element?.parentElement
    if (!element || !frame) return undefined
    const draw = () => drawChart(element, chart, readChartColours(frame))
    let remove = draw()
    const stop = onThemeChange(() => {
      remove()
      remove = draw()
    })
    return () => {
      stop()
      remove()
    }
  }, [chart, canvas])
  return (
    <div className="relative h-72">
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is drawn, not loaded */}
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  )
}
