// `npm test`: sets everything up and runs every check. With arguments, only the named ones: `npm test -- unit e2e`.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ensureBrowser, ensureBuilt, ensureInstalled, environment, root } from "./setup.mjs"

/** Checks that run unit tests: the second of them what asks for rows, on a PostgreSQL server. */
const unitTests = ["unit", "postgres"]
/** What the reporters of unit tests and journeys write, by check. */
const skipped = [...unitTests, "e2e"].map((name) => join(root, `out/skipped-${name}.txt`))

const checks = {
  types: [["npm", "run", "--silent", "typecheck"]],
  lint: [["oxlint", "--type-aware", "--deny-warnings"]],
  format: [["oxfmt", "--check", "."]],
  imports: [["depcruise", "--config", ".dependency-cruiser.cjs", "src"]],
  unused: [["knip"]],
  unit: [["vitest", "run"]],
  postgres: [["vitest", "run"]],
  e2e: [["playwright", "test", "--config", "e2e/playwright.config.ts"]],
}

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !(name in checks))
if (unknown.length > 0) {
  process.stderr.write(`Unknown: ${unknown.join(", ")}. There are: ${Object.keys(checks).join(", ")}\n`)
  process.exit(2)
}

ensureInstalled({ tools: true })
ensureBuilt()
if (chosen.length === 0 || chosen.includes("e2e")) ensureBrowser()

for (const path of skipped) rmSync(path, { force: true })
const outcomes = []
for (const [name, commands] of Object.entries(checks)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  process.stdout.write(`\n— ${name}\n`)
  const started = Date.now()
  const passed = commands.every(
    ([command, ...args]) =>
      spawnSync(command, args, {
        cwd: root,
        env: { ...environment(), ...(name === "postgres" && { CASELLA_TEST_DATABASE: "postgres" }) },
        stdio: "inherit",
        shell: process.platform === "win32",
      }).status === 0,
  )
  outcomes.push({ name, passed, seconds: (Date.now() - started) / 1000 })
}

process.stdout.write("\n")
for (const { name, passed, seconds } of outcomes) {
  process.stdout.write(`${passed ? "✓" : "✗"} ${name.padEnd(8)} ${seconds.toFixed(1)} s\n`)
}
for (const { name } of outcomes.filter(({ name, passed }) => unitTests.includes(name) && !passed)) {
  // Again at the very end, because the journeys' report stands between.
  const failures = join(root, `out/${name}-failures.txt`)
  const why = existsSync(failures)
    ? readFileSync(failures, "utf8")
    : `The tests of "${name}" didn't come to their end.\n`
  process.stdout.write(`\n${why}\n`)
}
for (const path of skipped) if (existsSync(path)) process.stdout.write(readFileSync(path, "utf8"))
const failed = outcomes.filter((outcome) => !outcome.passed).length
process.stdout.write(`${outcomes.length - failed} passed, ${failed} failed\n`)
process.exit(failed > 0 ? 1 : 0)
