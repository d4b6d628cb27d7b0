import {
  ArcElement,
  BarController,
  BarElement,
  CategoryScale,
  Chart as ChartJs,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PieController,
  PointElement,
  ScatterController,
  Tooltip,
  type ChartConfiguration,
  type ChartDataset,
} from "chart.js"
import { useEffect, type RefObject } from "react"
import type { Chart } from "../../../../../shared/contract/charts.ts"

/** The page's colours in a form that a canvas accepts. */
interface ChartColours {
  text: string
  axis: string
  grid: string
  background: string
  font: string
  /** Number of series that have their own colour. */
  count: number
  getSeriesColour: (index: number) => string
}

const count = 8

/** Reads the colours at an element, in the current theme. */
function readChartColours(element: HTMLElement): ChartColours {
  // Only a computed style resolves `light-dark()`.
  const read = (name: string) => {
    const probe = element.appendChild(document.createElement("span"))
    probe.style.color = `var(--color-${name})`
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
  const series = Array.from({ length: count }, (_, index) => read(`chart-${index + 1}`))
  return {
    text: read("soft"),
    axis: read("line-strong"),
    grid: read("line"),
    background: read("canvas"),
    font: getComputedStyle(element).fontFamily,
    count,
    getSeriesColour: (index: number) => series[index % count] ?? read("accent"),
  }
}

/** Calls `changed` when the theme changes, by system or by choice, until the returned function is called. */
function onThemeChange(changed: () => void): () => void {
  const system = window.matchMedia("(prefers-color-scheme: dark)")
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] })
  system.addEventListener("change", changed)
  return () => {
    observer.disconnect()
    system.removeEventListener("change", changed)
  }
}

ChartJs.register(
  ArcElement,
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PieController,
  PointElement,
  ScatterController,
  Tooltip,
)

/** Series differ in marker and dash as well as in colour. */
const marks = ["circle", "rect", "triangle", "rectRot", "crossRot", "star"] as const
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]]

/** Lines with more points than this are drawn without markers. */
const manyPoints = 60

/** Draws a chart. The returned function removes it. */
function drawChart(canvas: HTMLCanvasElement, chart: Chart, colours: ChartColours): () => void {
  ChartJs.defaults.font.family = colours.font
  const drawn = new ChartJs(canvas, configuration(chart, colours))
  return () => drawn.destroy()
}

function configuration(chart: Chart, colours: ChartColours): ChartConfiguration {
  const { kind, labels = [], series, stacked = false, xLabel, yLabel } = chart
  const axis = (title: string | undefined) => ({
    stacked,
    border: { color: colours.axis },
    grid: { color: colours.grid },
    ticks: { color: colours.text },
    title: { display: title !== undefined && title !== "", text: title ?? "", color: colours.text },
  })
  return {
    type: kind === "area" ? "line" : kind,
    data: { labels, datasets: series.map((_, index) => dataset(chart, index, colours)) },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: {
        mode: kind === "scatter" || kind === "pie" ? "nearest" : "index",
        intersect: kind === "pie",
      },
      plugins: {
        legend: {
          display: series.length > 1 || kind === "pie",
          position: "bottom",
          labels: { color: colours.text, usePointStyle: true, boxHeight: 7 },
        },
      },
      ...(kind === "pie"
        ? {}
        : { scales: { x: axis(xLabel), y: { ...axis(yLabel), beginAtZero: kind !== "scatter" } } }),
    },
  }
}

function dataset(
  { kind, labels = [], series, stacked = false }: Chart,
  index: number,
  colours: ChartColours,
): ChartDataset {
  const { name, color, values = [], points = [] } = series[index] ?? { name: "" }
  const colour = color ?? colours.getSeriesColour(index)
  const pointStyle = marks[index % marks.length] ?? "circle"
  if (kind === "scatter") {
    return {
      type: "scatter",
      label: name,
      data: points,
      backgroundColor: colour,
      borderColor: colour,
      pointStyle,
    }
  }
  if (kind === "bar")
    return { type: "bar", label: name, data: values, backgroundColor: colour, borderRadius: 3 }
  if (kind === "pie") {
    const backgroundColor = labels.map((_, slice) => colours.getSeriesColour(slice))
    return {
      type: "pie",
      label: name,
      data: values.map((value) => value ?? 0),
      backgroundColor,
      borderColor: colours.background,
    }
  }
  return {
    type: "line",
    label: name,
    data: values,
    borderColor: colour,
    backgroundColor: kind === "area" ? `color-mix(in srgb, ${colour} 25%, transparent)` : colour,
    borderDash: dashes[Math.floor(index / colours.count) % dashes.length] ?? [],
    borderWidth: 2,
    fill: kind === "area" ? (stacked && index > 0 ? "-1" : "origin") : false,
    pointStyle,
    pointRadius: labels.length > manyPoints ? 0 : 3,
  }
}

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
