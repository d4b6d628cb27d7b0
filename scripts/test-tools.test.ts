import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { shuffle } from "./shuffle.ts"

const root = join(import.meta.dirname, "..")
let directory: string
beforeEach(() => {
  mkdirSync(join(root, "out"), { recursive: true })
  directory = mkdtempSync(join(root, "out/test-tools-")) // Vitest's packages can be found from here
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Runs these test files in one process, as the server tests run; returns the failure report. */
function run(files: Record<string, string>): { status: number | null; report: string } {
  const path = join(directory, "failures.txt")
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
  writeFileSync(
    join(directory, "vitest.config.ts"),
    `import { UnitFailures } from ${module("failures.ts")}
    export default { test: {
      root: ${JSON.stringify(directory)}, isolate: false, maxWorkers: 1,
      setupFiles: ${JSON.stringify(join(root, "src/shared/testing/unchanged-process.ts"))},
      reporters: [new UnitFailures({ path: ${JSON.stringify(path)}, onPostgres: false })],
    } }`,
  )
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(directory, name), `import { describe, expect, test, vi } from "vitest"\n${text}`)
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const args = [vitest, "run", "--config", join(directory, "vitest.config.ts")]
  const { status } = spawnSync(process.execPath, args, { cwd: directory, stdio: "ignore", timeout: 100_000 })
  return { status, report: existsSync(path) ? readFileSync(path, "utf8") : "" }
}

// Catches a failure whose name, cause or command a newcomer has to search for.
test("a failed test is reported with its error and the command that runs it alone", () => {
  const { status, report } = run({
    "a.test.ts": `describe("sums", () => { test("1 + 1 (in $)", () => { expect(1 + 1).toBe(3) }) })`,
    "b.test.ts": `test("passes", () => {})`,
  })
  expect(status).toBe(1)
  expect(report).toContain("✗ a.test.ts > sums > 1 + 1 (in $)\n  AssertionError: expected 2 to be 3")
  expect(report).toContain(
    String.raw`  Run it alone: npm run unit -- a.test.ts -t "sums 1 \\+ 1 \\(in \\\$\\)"`,
  )
  expect(report).not.toContain("b.test.ts")
})

// Catches a successful run that still shows an earlier run's report.
test("a successful run leaves no report", () => {
  expect(run({ "a.test.ts": `test("passes", () => {})` })).toEqual({ status: 0, report: "" })
})

// Catches a test file that makes another one fail, which is then blamed.
test.each([
  ["process.env.LEFT", `process.env.LEFT = "here"`],
  ["the working directory", `process.chdir("/")`],
  ["the umask", `process.umask(0o077)`],
  ["fake timers", `vi.useFakeTimers()`],
  ['listeners of process for "uncaughtException"', `process.on("uncaughtException", () => {})`],
  ["globalThis.fetch", `globalThis.fetch = () => null`],
])("a file that leaves %s changed fails", (name, code) => {
  const { status, report } = run({ "a.test.ts": `test("leaves", () => { ${code} })` })
  expect(status).toBe(1)
  expect(report).toContain(`This file leaves changed for the next one: ${name}.`)
})

// Catches stubs that a test didn't remove and that affect the next file.
test("stubs are removed after each file", () => {
  const files = {
    "a.test.ts": `test("stubs", () => { vi.stubEnv("LEFT", "1"); vi.stubGlobal("fetch", null) })`,
  }
  expect(run(files)).toEqual({ status: 0, report: "" })
})

// Catches a seed that doesn't reproduce its order, or an order that omits an entry.
test("a seed determines an order", () => {
  const entries = Array.from({ length: 60 }, (_, index) => index)
  expect(shuffle(entries, 7)).toEqual(shuffle(entries, 7))
  expect(shuffle(entries, 7)).not.toEqual(shuffle(entries, 8))
  expect(shuffle(entries, 7)).not.toEqual(entries)
  expect(shuffle(entries, 7).toSorted((one, other) => one - other)).toEqual(entries)
})

// Catches a mistyped check that passes because nothing ran.
test("an unknown check or option is refused", () => {
  const command = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, "scripts/test.mjs"), ...args], {
      encoding: "utf8",
      timeout: 60_000,
    })
  const unknown = command("untis")
  expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining("Unknown check: untis.")])
  const option = command("--sed", "1")
  expect([option.status, option.stderr]).toEqual([2, expect.stringContaining("Unknown option '--sed'")])
  expect(command("--help")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("--seed N") as string,
  })
})
