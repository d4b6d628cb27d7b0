/** One measured figure, with the values it is compared with. */
export interface BenchResult {
  name: string
  value: number
  unit: string
  /** Result of the bare engine or the simplest method in the same run. */
  floor?: number
  /** The target, in readable form: "≤10", "≥0.965". */
  target?: string
  ok?: boolean
}

/** Whether a larger value is better. */
export const isMoreBetter = ({ unit, target }: Pick<BenchResult, "unit" | "target">): boolean =>
  unit.endsWith("/s") || target?.startsWith("≥") === true

/** Prints a table for people and one line of JSON for programs. */
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
