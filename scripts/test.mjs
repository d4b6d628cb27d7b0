// `npm test` and `npm run test:all` set everything up and check it. `npm test -- --help` describes the arguments.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { ensureBrowser, ensureBuilt, ensureInstalled, environment, root } from "./setup.mjs"

const journeys = ["playwright", "test", "--config", "e2e/playwright.config.ts"]

/** Checks of `npm test`: a command, additional environment variables, and the name of its reports in `out/`. */
const quick = {
  types: { command: ["npm", "run", "--silent", "typecheck"] },
  lint: { command: ["oxlint", "--type-aware", "--deny-warnings"] },
  format: { command: ["oxfmt", "--check", "."] },
  imports: { command: ["depcruise", "--config", ".dependency-cruiser.cjs", "src"] },
  unused: { command: ["knip"] },
  unit: { command: ["vitest", "run"], variables: { CASELLA_TESTS: "fast" }, report: "unit" },
  journeys: { command: [...journeys, "--grep", "@screen/"], report: "e2e" },
}
/** Additional checks of `npm run test:all`. */
const rest = {
  slow: { command: ["vitest", "run"], variables: { CASELLA_TESTS: "slow" }, report: "slow" },
  postgres: {
    command: ["vitest", "run"],
    variables: { CASELLA_TEST_DATABASE: "postgres" },
    report: "postgres",
  },
  "other-journeys": { command: [...journeys, "--grep-invert", "@screen/"], report: "e2e" },
}

/** Checks that run together if all of them are chosen, so that programs, boxes and browsers start once. */
const joined = [
  {
    names: ["unit", "slow"],
    check: { command: ["vitest", "run"], variables: { CASELLA_TESTS: "both" }, report: "unit" },
  },
  { names: ["journeys", "other-journeys"], check: { command: journeys, report: "e2e" } },
]

const usage = `Usage: npm test [-- OPTIONS] [CHECK...]
       npm run test:all [-- OPTIONS] [CHECK...]

Sets everything up and runs the checks, or only those that are named.
  npm test:          ${Object.keys(quick).join(", ")}
  npm run test:all:  these, then ${Object.keys(rest).join(", ")}

Options:
  --seed N   runs tests in the order of an earlier run, which printed its seed
  --rest     only the checks that "npm test" leaves out
`

const { values, positionals } = readArguments()
if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}
const offered = values.rest ? rest : values.all ? { ...quick, ...rest } : quick
const unknown = positionals.filter((name) => !(name in offered))
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown check: ${unknown.join(", ")}. There are: ${Object.keys(offered).join(", ")}.\n`,
  )
  process.exit(2)
}
const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000))
const checks = joinChecks(
  Object.keys(offered).filter((name) => positionals.length === 0 || positionals.includes(name)),
)

ensureInstalled({ tools: true })
ensureBuilt()
if (checks.some(([, { report }]) => report === "e2e")) ensureBrowser()
process.stdout.write(`Random order with seed ${seed}.\n`)

const outcomes = []
for (const [name, check] of checks) {
  process.stdout.write(`\n— ${name}\n`)
  outcomes.push({ name, ...run(check) })
}
report()

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        all: { type: "boolean" },
        rest: { type: "boolean" },
        seed: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    })
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}`)
    process.exit(2)
  }
}

/** Returns the checks with these names. A joined check has the names of its parts, which is how the last line repeats it. */
function joinChecks(names) {
  const whole = joined.filter(({ names: parts }) => parts.every((name) => names.includes(name)))
  return names.flatMap((name) => {
    const found = whole.find(({ names: parts }) => parts.includes(name))
    if (found === undefined) return [[name, offered[name]]]
    return found.names[0] === name ? [[found.names.join(" "), found.check]] : []
  })
}

function run({ command: [program, ...args], variables = {}, report }) {
  const paths = {
    failures: join(root, `out/failures-${report}.txt`),
    skipped: join(root, `out/skipped-${report}.txt`),
  }
  for (const path of Object.values(paths)) rmSync(path, { force: true })
  const started = Date.now()
  const { status } = spawnSync(program, args, {
    cwd: root,
    env: { ...environment(), ...variables, CASELLA_TEST_SEED: seed },
    stdio: "inherit",
    shell: process.platform === "win32",
  })
  const seconds = (Date.now() - started) / 1000
  return {
    passed: status === 0,
    seconds,
    failures: read(paths.failures),
    skipped: read(paths.skipped),
    hasReport: report !== undefined,
  }
}

/** The last lines show what failed and how to repeat it; those before them show why. */
function report() {
  process.stdout.write("\n")
  for (const { skipped } of outcomes) process.stdout.write(skipped)
  for (const { name, passed, failures, hasReport } of outcomes) {
    if (passed) continue
    const why =
      failures ||
      (hasReport ? "It ended before its tests did; its output above says why.\n" : "Its output is above.\n")
    process.stdout.write(`\n— ${name} failed\n${why}`)
  }
  process.stdout.write("\n")
  for (const { name, passed, seconds, failures } of outcomes) {
    process.stdout.write(`${passed ? "✓" : "✗"} ${name.padEnd(23)} ${seconds.toFixed(1)} s\n`)
    for (const line of failures.split("\n")) if (line.startsWith("✗ ")) process.stdout.write(`  ${line}\n`)
  }
  const failed = outcomes.filter(({ passed }) => !passed).map(({ name }) => name)
  if (failed.length > 0) {
    const command = values.all || values.rest ? "npm run test:all" : "npm test"
    process.stdout.write(`Repeat it in the same order: ${command} -- --seed ${seed} ${failed.join(" ")}\n`)
  }
  process.stdout.write(`${outcomes.length - failed.length} passed, ${failed.length} failed\n`)
  process.exit(failed.length > 0 ? 1 : 0)
}

function read(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}
