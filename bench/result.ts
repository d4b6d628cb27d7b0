/** One measured figure, with what it is held against. */
export interface BenchResult {
  name: string
  value: number
  unit: string
  /** What the bare engine or simplest method reaches in the same run. */
  floor?: number
  /** The promise, for people: "≤10", "≥0.965". */
  target?: string
  ok?: boolean
}

/** Whether a larger value is the better one. */
export const isMoreBetter = ({ unit, target }: Pick<BenchResult, "unit" | "target">): boolean =>
  unit.endsWith("/s") || target?.startsWith("≥") === true

/** Prints a table for people and a line of JSON for programs. */
export function printResults(results: BenchResult[]): void {
  const rows = results.map(({ name, value, unit, floor, target, ok }) => ({
    name,
    value: `${Number.isInteger(value) ? value : Number(value.toPrecision(4))} ${unit}`.trim(),
    floor: floor === undefined ? "" : String(Number(floor.toPrecision(4))),
    target: target ?? "",
    ok: ok === undefined ? "" : ok ? "yes" : "NO",
  }))
  console.table(rows)
  console.log(JSON.stringify(results))
}
