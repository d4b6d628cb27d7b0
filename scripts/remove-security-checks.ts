import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { parseArgs } from "node:util"
import { findSecurityCheck, securityChecks, type SecurityCheck } from "./security-checks.ts"

// `npm run test:security [NAME…]` removes each of the security checks in security-checks.ts from the source, in memory only, and runs the
// tests that guard it. Fails if no test notices that a check is missing.

const root = join(import.meta.dirname, "..")
/** The part of Vitest's JSON report that is used. */
interface Report {
  testResults: { name: string; message: string; assertionResults: { status: string; fullName: string }[] }[]
}

/** Tests that run longer without a check are stopped: they don't pass without it. */
const maxMs = 600_000

interface Outcome {
  /** Titles of the failed tests, or why the run failed. */
  failed: string[]
  /** Errors of files that couldn't be loaded. */
  broken: string[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean" },
    /** Assumes that the tests pass with all checks, which takes a while to check. */
    "skip-check": { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
})

if (values.help === true) {
  process.stdout.write("Usage: npm run test:security -- [--list] [--skip-check] [NAME…]\n")
} else if (values.list === true) {
  for (const { name, tests } of securityChecks) process.stdout.write(`${name}: ${tests.join(", ")}\n`)
} else {
  const chosen = positionals.length === 0 ? securityChecks : positionals.map(findSecurityCheck)
  process.exitCode = removeEach(chosen) ? 0 : 1
}

function removeEach(chosen: readonly SecurityCheck[]): boolean {
  const directory = mkdtempSync(join(tmpdir(), "casella-security-"))
  try {
    if (values["skip-check"] !== true && !passWithAll(chosen, directory)) return false
    const unnoticed = chosen.filter((check, index) => !isNoticed(check, join(directory, `${index}.json`)))
    process.stdout.write(
      unnoticed.length === 0
        ? `Each of the ${chosen.length} checks is noticed when it is missing.\n`
        : `No test noticed that these were missing:\n${unnoticed.map(({ name }) => `  ${name}`).join("\n")}\n`,
    )
    return unnoticed.length === 0
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Otherwise a failure would prove nothing. */
function passWithAll(chosen: readonly SecurityCheck[], directory: string): boolean {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))]
  process.stdout.write(`Running ${files.length} test files with all checks …\n`)
  const { broken, failed } = run(files, { report: join(directory, "all.json") })
  const faults = [...broken, ...failed]
  if (faults.length > 0)
    process.stdout.write(`✗ These fail although nothing was removed:\n${faults.join("\n")}\n`)
  return faults.length === 0
}

function isNoticed(check: SecurityCheck, report: string): boolean {
  const startedAt = performance.now()
  const { failed, broken } = run(check.tests, { report, check })
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  if (failed.length > 0) process.stdout.write(`✓ ${check.name} (${seconds} s): ${failed[0]}\n`)
  else if (broken.length > 0) process.stdout.write(`✗ ${check.name}: the change doesn't run\n${broken[0]}\n`)
  else process.stdout.write(`✗ ${check.name} (${seconds} s)\n`)
  return failed.length > 0
}

/** Runs test files, without the check if there is one; then the first failure is enough. */
function run(
  files: readonly string[],
  { report, check }: { report: string; check?: SecurityCheck },
): Outcome {
  const { stderr, status, error } = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--reporter=json",
      `--outputFile=${report}`,
      ...(check ? ["--bail=1"] : []),
      ...files,
    ],
    {
      cwd: root,
      env: { ...process.env, CASELLA_TESTS: "all", ...(check && { CASELLA_WITHOUT_CHECK: check.name }) },
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      ...(check && { timeout: maxMs }),
    },
  )
  if (error) return { failed: [`The tests didn't end: ${error.message}`], broken: [] }
  if (!existsSync(report)) return { failed: [], broken: [stderr] }
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const passed = tests.filter(({ status }) => status === "passed").length
  const failed = tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName)
  const unloaded = testResults.filter(
    ({ message, assertionResults }) => message && assertionResults.length === 0,
  )
  const broken = unloaded.map(({ name, message }) => `${relative(root, name)}: ${message}`)
  if (passed + failed.length + broken.length === 0) return { failed, broken: ["No test ran."] }
  const isCrash = status !== 0 && failed.length + broken.length === 0
  return { failed: isCrash ? ["A process of the tests ended early."] : failed, broken }
}
