import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

/** Maximum seconds for a test file in `npm test`. Slower ones only run in `npm run test:all`. */
const maxFastSeconds = 8
const listPath = join(import.meta.dirname, "slow-tests.json")

/** Test files that only `npm run test:all` runs, with the measured seconds of each. */
export const readSlowTests = (): Record<string, number> =>
  existsSync(listPath) ? (JSON.parse(readFileSync(listPath, "utf8")) as Record<string, number>) : {}

/** Stores the seconds that each test file took, next to the measurements of other runs. */
export class TestCosts implements Reporter {
  readonly #path: string

  constructor({ path }: { path: string }) {
    this.#path = path
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const costs = existsSync(this.#path)
      ? (JSON.parse(readFileSync(this.#path, "utf8")) as Record<string, number>)
      : {}
    for (const module of modules) {
      const { duration, collectDuration, setupDuration } = module.diagnostic()
      const seconds = (duration + collectDuration + setupDuration) / 1000
      costs[relative(process.cwd(), module.moduleId).replaceAll("\\", "/")] = Math.round(seconds * 10) / 10
    }
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(this.#path, JSON.stringify(costs, null, 2))
  }
}

/** `npm run test:costs` selects the slow test files again, from the measurements of the last runs. */
if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const measured = JSON.parse(readFileSync(join(root, "out/test-costs.json"), "utf8")) as Record<
    string,
    number
  >
  const costs = Object.entries({ ...readSlowTests(), ...measured }).filter(([file]) =>
    existsSync(join(root, file)),
  )
  const slow = costs.filter(([, seconds]) => seconds >= maxFastSeconds)
  slow.sort(([one], [other]) => one.localeCompare(other))
  writeFileSync(listPath, `${JSON.stringify(Object.fromEntries(slow), null, 2)}\n`)
  process.stdout.write(`${slow.length} of ${costs.length} measured test files are slow.\n`)
}
