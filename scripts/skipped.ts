import type { Need } from "./needs.ts"

export interface Skipped {
  name: string
  /** Names of the requirements that this computer doesn't meet. */
  missing: string[]
}

/**
 * Describes what was skipped and why, one line for each reason. A skip is a mistake if nothing it needs is missing, or if this computer
 * should have what is missing.
 */
export function describeSkipped(
  skipped: readonly Skipped[],
  needs: Record<string, Pick<Need, "what" | "how" | "expected">>,
): { text: string; hasMistakes: boolean } {
  const lines: string[] = []
  let hasMistakes = false
  const reasons = Map.groupBy(skipped, ({ missing }) => missing.join(" "))
  for (const [reason, tests] of reasons) {
    const count = `${tests.length} ${tests.length === 1 ? "test" : "tests"} skipped`
    const known = reason.split(" ").flatMap((name) => needs[name] ?? [])
    const expected = known.filter((need) => need.expected())
    if (known.length === 0) lines.push(`✗ ${count} although nothing is missing:`)
    else {
      const why = known.map(({ what, how }) => `${what} (${how})`).join(" and ")
      lines.push(`${expected.length > 0 ? "✗ " : ""}${count}: needs ${why}`)
    }
    if (expected.length > 0)
      lines.push(`  This computer should have it: mend it, or "works" in scripts/needs.ts.`)
    if (known.length > 0 && expected.length === 0) continue
    hasMistakes = true
    lines.push(...tests.map(({ name }) => `  ${name}`))
  }
  return { text: lines.map((line) => `${line}\n`).join(""), hasMistakes }
}
