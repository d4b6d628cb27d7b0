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
import type { Chart } from "../../../../../shared/contract/charts.ts"
import type { ChartColours } from "./chart-colours.ts"

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
export function drawChart(canvas: HTMLCanvasElement, chart: Chart, colours: ChartColours): () => void {
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
