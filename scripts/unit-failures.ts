import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

type ReportedError = { name?: string; message: string; stack?: string }

/**
 * Writes why a run of the unit tests failed, in plain text, so that `npm test` can say it again below the journeys' report: failed tests
 * and files, and errors that no test waited for, which end a run whose tests all passed. A run that passed leaves no file.
 */
export default class UnitFailures implements Reporter {
  readonly #path: string

  constructor({ path }: { path: string }) {
    this.#path = path
    rmSync(path, { force: true })
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly ReportedError[]): void {
    const failures = modules
      .filter((module) => !module.ok())
      .flatMap((module) => {
        const file = relative(process.cwd(), module.moduleId)
        return [
          ...module.errors().map((error) => `${file}\n${told(error)}`),
          ...[...module.children.allTests("failed")].map(
            (test) => `${file} > ${test.fullName}\n${test.result().errors?.map(told).join("\n")}`,
          ),
        ]
      })
    const unwaited = unhandled.map((error) => `No test waited for this error:\n${told(error)}`)
    if (failures.length + unwaited.length === 0) return
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(this.#path, `${[...failures, ...unwaited].join("\n\n")}\n`)
  }
}

/** The error and where it arose. */
function told({ name = "Error", message, stack = `${name}: ${message}` }: ReportedError): string {
  return stack
    .split("\n")
    .slice(0, 12)
    .map((line) => `  ${line}`)
    .join("\n")
}
