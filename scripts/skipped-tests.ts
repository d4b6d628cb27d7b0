import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"
import type { Reporter, TestModule, Vitest } from "vitest/node"
import type { Need } from "./needs.ts"
import { describeSkipped } from "./skipped.ts"

/** Writes which unit tests were skipped and why, for the end of `npm test`. In CI, an unjustified skip fails the run. */
export default class SkippedTests implements Reporter {
  readonly #path: string
  readonly #needs: Record<string, Need>
  #missing = new Set<string>()

  constructor({ path, needs }: { path: string; needs: Record<string, Need> }) {
    this.#path = path
    this.#needs = needs
  }

  onInit({ config }: Vitest): void {
    this.#missing = new Set(config.tags.filter(({ skip }) => skip).map(({ name }) => name))
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].map(({ fullName, tags }) => ({
        name: `${relative(process.cwd(), module.moduleId)} > ${fullName}`,
        missing: tags.filter((tag) => this.#missing.has(tag)),
      })),
    )
    const { text, hasMistakes } = describeSkipped(skipped, this.#needs)
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(this.#path, text)
    if (hasMistakes && process.env["CI"]) process.exitCode = 1
  }
}
