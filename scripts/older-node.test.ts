import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { findOlderNode } from "./needs.ts"

const root = join(import.meta.dirname, "..")
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "casella-node-"))
})
afterEach(() => rmSync(directory, { recursive: true }))

const run = (...args: string[]) =>
  spawnSync(findOlderNode() ?? "", args, { cwd: root, encoding: "utf8", timeout: 50_000 })

// Catches a command that ends in a SyntaxError because this Node lacks something it imports.
test.each([
  ["scripts/box.mjs", /^Casella .*\n\nUsage: box /],
  ["scripts/auth.mjs", /^Casella .*\n\nUsage: auth /],
])("%s runs on an older Node", { tags: "older-node" }, (script, output) => {
  const { status, stdout } = run(script, "--help")
  expect(stdout).toMatch(output)
  expect(status).toBe(0)
})

// Catches a script that only the project's Node can parse; users run each of these first.
test("an older Node can parse every entry script", { tags: "older-node" }, () => {
  const entries = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".mjs"))
  expect(entries).toContain("setup.mjs")
  for (const name of entries) {
    // Only an entry's imports are loaded, and none of its code is run.
    const imports =
      readFileSync(join(import.meta.dirname, name), "utf8").match(/^import .* from ".*"$/gm) ?? []
    const { status, stderr } = spawnSync(
      findOlderNode() ?? "",
      ["--input-type=module", "--eval", imports.filter((line) => line.includes('"node:')).join("\n")],
      { encoding: "utf8" },
    )
    expect([name, status, stderr]).toEqual([name, 0, ""])
  }
})

// Catches a TypeScript program that runs on the older Node, loses its arguments or exit code, or outlives a signal.
test("run.mjs runs TypeScript on the project's Node", { tags: "older-node" }, async () => {
  const program = join(directory, "program.ts")
  writeFileSync(
    program,
    `const version: string = process.versions.node
     process.on("SIGTERM", () => process.exit(7))
     setInterval(() => {}, 60_000)
     process.stdout.write([version, import.meta.main, ...process.argv.slice(2)].join(" "))`,
  )
  const child = spawn(findOlderNode() ?? "", ["scripts/run.mjs", program, "a", "b"], { cwd: root })
  const exited = once(child, "exit")
  const [output] = (await once(child.stdout, "data")) as [Buffer]
  expect(output.toString()).toMatch(/^2[4-9]\.\S+ true a b$/)
  child.kill("SIGTERM")
  expect(await exited).toEqual([7, null])
})

test("set-up refuses unknown arguments", { tags: "older-node" }, () => {
  const { status, stderr } = run("scripts/setup.mjs", "--everything")
  expect(status).toBe(2)
  expect(stderr).toContain("Unknown: --everything")
})

// Catches a set-up after an update that removes the Node it runs on: npm runs scripts on the pinned Node if it is already installed.
test("set-up keeps the pinned Node when it runs on it", { tags: "unix" }, () => {
  const name = `node-${process.platform}-${process.arch}`
  const pinned = join(directory, "node_modules", name, "bin", "node")
  for (const path of ["scripts/setup.mjs", "package.json", "package-lock.json", "tools/node/package.json"])
    cpSync(join(root, path), join(directory, path))
  mkdirSync(dirname(pinned), { recursive: true })
  copyFileSync(process.execPath, pinned)
  writeFileSync(join(directory, "node_modules/.casella-installed"), "an earlier lockfile\nnode\n")
  const programs = join(directory, "programs")
  mkdirSync(programs)
  writeFileSync(
    join(programs, "npm"),
    `#!/bin/sh\necho "$@" >> "${directory}/asked"\n[ "$1" = --version ] && echo 11\n`,
    {
      mode: 0o755,
    },
  )
  spawnSync(pinned, ["scripts/setup.mjs"], {
    cwd: directory,
    env: { ...process.env, PATH: `${programs}:/usr/bin:/bin` },
    timeout: 50_000,
  })
  expect(readFileSync(join(directory, "asked"), "utf8")).toMatch(/^ci .*--workspace=tools\/node/m)
})
