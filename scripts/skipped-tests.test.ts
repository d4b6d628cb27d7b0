import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeSkipped } from "./skipped.ts"

const root = join(import.meta.dirname, "..")
let directory: string
beforeAll(() => {
  mkdirSync(join(root, "out"), { recursive: true })
  directory = mkdtempSync(join(root, "out/skipped-tests-")) // Vitest's packages can be found from here
})
afterAll(() => rmSync(directory, { recursive: true }))

/** Runs these tests on a computer where neither `away` nor `broken` works; only `broken` is expected to. */
function run(tests: string, environment: Record<string, string>) {
  const config = `
    import SkippedTests from ${JSON.stringify(new URL("skipped-tests.ts", import.meta.url).href)}
    const needs = {
      away: { what: "a moon", how: "wait for the night", expected: () => false },
      broken: { what: "a lamp", how: "buy one", expected: () => true },
    }
    export default { test: {
      root: ${JSON.stringify(directory)},
      tags: [{ name: "here" }, { name: "away", skip: true }, { name: "broken", skip: true }],
      reporters: [new SkippedTests({ path: ${JSON.stringify(join(directory, "report/skipped.txt"))}, needs })],
    } }`
  writeFileSync(join(directory, "vitest.config.ts"), config)
  writeFileSync(
    join(directory, "a.test.ts"),
    `import { describe, test } from "vitest"\ntest("runs", { tags: "here" }, () => {})\n${tests}`,
  )
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const { CI: _, ...env } = process.env
  const ran = spawnSync(process.execPath, [vitest, "run", "--config", join(directory, "vitest.config.ts")], {
    cwd: directory,
    env: { ...env, ...environment },
    encoding: "utf8",
    timeout: 50_000,
  })
  expect(ran.stderr).toBe("")
  return { status: ran.status, report: readFileSync(join(directory, "report/skipped.txt"), "utf8") }
}

const inCi = { CI: "1" }
const away = `describe("moon", { tags: "away" }, () => { test.each([1, 2])("%i", () => {}) })`

// Catches tests that never run without anyone noticing.
test("a requirement that the computer can't meet is reported and never fails the run", () => {
  const report = "2 tests skipped: needs a moon (wait for the night)\n"
  expect(run(away, inCi)).toEqual({ status: 0, report })
})

// Catches a requirement whose check is wrong, so that its tests never run where they could, and one that fails on a developer's computer.
test("a requirement that the computer should meet fails the run only in CI, and its tests are named", () => {
  const broken = `test("dark", { tags: "broken" }, () => {})`
  const report = [
    "✗ 1 test skipped: needs a lamp (buy one)",
    `  This computer should have it: mend it, or "works" in scripts/needs.ts.`,
    "  a.test.ts > dark",
    "2 tests skipped: needs a moon (wait for the night)",
    "",
  ].join("\n")
  expect(run(`${broken}\n${away}`, inCi)).toEqual({ status: 1, report })
  expect(run(`${broken}\n${away}`, {})).toEqual({ status: 0, report })
})

// Catches a test's own condition that is wrong, or a leftover `skip`.
test.for([`test.skip("left", () => {})`, `test("left", { tags: "here" }, ({ skip }) => skip())`])(
  "a skip without a named requirement fails the run in CI: %s",
  (skipping) => {
    const report = "✗ 1 test skipped although nothing is missing:\n  a.test.ts > left\n"
    expect(run(skipping, inCi)).toEqual({ status: 1, report })
  },
)

// Catches a journey's skip reason that names no requirement but is accepted as an explanation.
test("a reason that isn't a requirement doesn't explain a skip", () => {
  const skipped = [{ name: "a journey", missing: ["Not today."] }]
  expect(describeSkipped(skipped, {})).toEqual({
    text: "✗ 1 test skipped although nothing is missing:\n  a journey\n",
    hasMistakes: true,
  })
})
