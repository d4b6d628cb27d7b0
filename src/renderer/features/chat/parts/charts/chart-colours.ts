/** The page's colours in a form that a canvas accepts. */
export interface ChartColours {
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
export function readChartColours(element: HTMLElement): ChartColours {
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
export function onThemeChange(changed: () => void): () => void {
  const system = window.matchMedia("(prefers-color-scheme: dark)")
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] })
  system.addEventListener("change", changed)
  return () => {
    observer.disconnect()
    system.removeEventListener("change", changed)
  }
}
