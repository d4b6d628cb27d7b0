import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { FullResult, Reporter, Suite } from "@playwright/test/reporter"
import { journeyNeeds } from "./needs.ts"
import { describeSkipped } from "./skipped.ts"

/** Does the same as `skipped-tests.ts` for journeys, which give what they miss as their skip reason. */
export default class SkippedJourneys implements Reporter {
  readonly #path: string
  #suite: Suite | undefined

  constructor({ path }: { path: string }) {
    this.#path = path
  }

  onBegin(_config: unknown, suite: Suite): void {
    this.#suite = suite
  }

  async onEnd(): Promise<{ status?: FullResult["status"] }> {
    const tests = this.#suite?.allTests().filter((test) => test.outcome() === "skipped") ?? []
    const skipped = tests.map((test) => ({
      name: test.titlePath().filter(Boolean).join(" > "),
      missing: test.annotations.flatMap(({ type, description = "" }) => (type === "skip" ? description : [])),
    }))
    const { text, hasMistakes } = describeSkipped(skipped, journeyNeeds)
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(this.#path, text)
    return hasMistakes && process.env["CI"] ? { status: "failed" } : {}
  }
}
