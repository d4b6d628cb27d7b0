// `npm run bench -- --against COMMIT box` builds that commit next to this one and measures both alternately, each with its own bench. It
// measures only committed code. `--rounds N` (default 5) sets the number of runs of each.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { median } from "./measure.ts"
import { isMoreBetter, type BenchResult } from "./result.ts"

const root = dirname(import.meta.dirname)

/** A commit with its packages and build; `drop` removes it. */
interface Checkout {
  commit: string
  directory: string
  drop(): void
}

const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim()

function checkOut(name: string): Checkout {
  const commit = git("rev-parse", "--short", `${name}^{commit}`)
  const directory = join(mkdtempSync(join(tmpdir(), "casella-against-")), commit)
  git("worktree", "add", "--detach", directory, commit)
  process.stderr.write(`— setting up ${commit}\n`)
  execFileSync(process.execPath, ["scripts/setup.mjs", "--dev"], {
    cwd: directory,
    stdio: ["ignore", "ignore", 2],
  })
  execFileSync("npm", ["run", "build"], { cwd: directory, stdio: ["ignore", "ignore", 2] })
  return {
    commit,
    directory,
    drop() {
      git("worktree", "remove", "--force", directory)
      rmSync(dirname(directory), { recursive: true, force: true })
    },
  }
}

/** Runs the measurements once and returns the results by name. */
function measure({ directory }: Checkout, topics: readonly string[]): Map<string, BenchResult> {
  const output = execFileSync("npm", ["run", "--silent", "bench", "--", ...topics], {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 26,
  })
  const results = JSON.parse(output.trim().split("\n").at(-1) ?? "[]") as BenchResult[]
  return new Map(results.map((result) => [result.name, result]))
}

/** Describes a difference. Less than 3 %, or ranges that overlap, means no difference. */
function judgeDifference(result: BenchResult, before: number[], after: number[]): string {
  const ratio = median(after) / median(before)
  const overlap = Math.min(...after) <= Math.max(...before) && Math.min(...before) <= Math.max(...after)
  if (Math.abs(ratio - 1) < 0.03) return "same"
  if (overlap) return "within the spread"
  return ratio > 1 === isMoreBetter(result) ? "better" : "WORSE"
}

const rounded = (value: number) => Number(value.toPrecision(3))
const range = (values: number[]) =>
  `${String(rounded(median(values)))} (${String(rounded(Math.min(...values)))}–${String(rounded(Math.max(...values)))})`

/** Measures both commits alternately and prints a table: medians with ranges, also as multiples of the floor in the same run. */
export function compare(name: string, topics: readonly string[], rounds: number): void {
  const before = checkOut(name)
  try {
    const after = checkOut("HEAD")
    try {
      const runs = { before: [] as Map<string, BenchResult>[], after: [] as Map<string, BenchResult>[] }
      for (let round = 0; round < rounds; round++) {
        process.stderr.write(`— round ${String(round + 1)} of ${String(rounds)}\n`)
        const order = round % 2 === 0 ? (["before", "after"] as const) : (["after", "before"] as const)
        for (const which of order) runs[which].push(measure({ before, after }[which], topics))
      }
      print(before.commit, after.commit, runs.before, runs.after)
    } finally {
      after.drop()
    }
  } finally {
    before.drop()
  }
}

function print(
  before: string,
  after: string,
  earlier: readonly Map<string, BenchResult>[],
  later: readonly Map<string, BenchResult>[],
): void {
  const rows = [...(later[0]?.values() ?? [])].map((result) => {
    const { name, unit } = result
    const of = (runs: typeof later) => runs.flatMap((run) => run.get(name) ?? [])
    const values = (runs: typeof later) => of(runs).map(({ value }) => value)
    const multiples = (runs: typeof later) =>
      of(runs).flatMap(({ value, floor }) => (floor === undefined ? [] : value / floor))
    const shown = (list: number[]) => (list.length === 0 ? "" : range(list))
    const known = values(earlier).length > 0
    return {
      name,
      unit,
      [before]: shown(values(earlier)),
      [after]: shown(values(later)),
      ratio: known ? rounded(median(values(later)) / median(values(earlier))) : "",
      [`${before} / floor`]: shown(multiples(earlier)),
      [`${after} / floor`]: shown(multiples(later)),
      verdict: known ? judgeDifference(result, values(earlier), values(later)) : "new",
    }
  })
  console.table(rows)
  console.log(JSON.stringify({ before, after, rows }))
}
