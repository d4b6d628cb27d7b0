import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"
import { stripVTControlCharacters } from "node:util"
import type { FullResult, Reporter as JourneyReporter, Suite } from "@playwright/test/reporter"
import type { Reporter as UnitReporter, TestModule } from "vitest/node"

type ReportedError = { name?: string; message?: string; stack?: string }

interface Failure {
  /** File and title. */
  test: string
  errors: readonly ReportedError[]
  /** Command that runs only this test. */
  command?: string
}

/** Number of lines printed of an error: its message, and where it was thrown. */
const maxErrorLines = 14

/** Writes what failed, why, and how to run it alone, for the end of `npm test`. A successful run leaves no file. */
function writeFailures(path: string, failures: readonly Failure[]): void {
  if (failures.length === 0) return
  const texts = failures.map(({ test, errors, command }) =>
    [
      `✗ ${test}`,
      ...errors.map(describe),
      ...(command === undefined ? [] : [`  Run it alone: ${command}`]),
    ].join("\n"),
  )
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${texts.join("\n\n")}\n`)
}

function describe({ name = "Error", message = "", stack = `${name}: ${message}` }: ReportedError): string {
  const lines = stripVTControlCharacters(stack).split("\n").slice(0, maxErrorLines)
  return lines.map((line) => `  ${line}`).join("\n")
}

/** Quotes for a POSIX shell. Titles without quotes or `$` also work in Windows' shell. */
const quote = (text: string) => `"${text.replace(/["$`\\]/g, "\\$&")}"`
const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Reports unit tests: failed tests and files, and errors outside any test, which fail a run whose tests all passed. */
export class UnitFailures implements UnitReporter {
  readonly #path: string
  #variables = ""

  constructor({ path, onPostgres }: { path: string; onPostgres: boolean }) {
    this.#path = path
    if (onPostgres) this.#variables = "CASELLA_TEST_DATABASE=postgres "
    rmSync(path, { force: true })
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly ReportedError[]): void {
    const failures = modules
      .filter((module) => !module.ok())
      .flatMap((module): Failure[] => {
        const file = relative(process.cwd(), module.moduleId).replaceAll("\\", "/")
        const command = `${this.#variables}npm run unit -- ${file}`
        const errors = module.errors()
        return [
          ...(errors.length > 0 ? [{ test: file, errors, command }] : []),
          ...[...module.children.allTests("failed")].map((test) => ({
            test: `${file} > ${test.fullName}`,
            errors: test.result().errors ?? [],
            command: `${command} -t ${quote(escapePattern(test.fullName.replaceAll(" > ", " ")))}`,
          })),
        ]
      })
    const outside = unhandled.map((error) => ({ test: "An error outside any test", errors: [error] }))
    writeFailures(this.#path, [...failures, ...outside])
  }
}

/** Reports failed journeys. */
export default class JourneyFailures implements JourneyReporter {
  readonly #path: string
  #suite: Suite | undefined
  #errors: ReportedError[] = []

  constructor({ path }: { path: string }) {
    this.#path = path
    rmSync(path, { force: true })
  }

  onBegin(_config: unknown, suite: Suite): void {
    this.#suite = suite
  }

  onError(error: ReportedError): void {
    this.#errors.push(error)
  }

  onEnd(_result: FullResult): void {
    const failed = this.#suite?.allTests().filter((test) => test.outcome() === "unexpected") ?? []
    const failures = failed.map((test): Failure => {
      const file = relative(process.cwd(), test.location.file).replaceAll("\\", "/")
      return {
        test: `${file}:${test.location.line} > ${test.title}`,
        errors: test.results.flatMap(({ errors }) => errors),
        command: `npm run e2e -- ${file}:${test.location.line}`,
      }
    })
    const outside = this.#errors.map((error) => ({ test: "An error outside any journey", errors: [error] }))
    writeFailures(this.#path, [...failures, ...outside])
  }
}
