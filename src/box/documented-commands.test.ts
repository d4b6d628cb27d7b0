import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { expect, test } from "vitest"
import { createClient } from "../shared/client/http-client.ts"
import { builtProgram } from "../shared/testing/built-program.ts"
import { waitFor } from "../shared/testing/wait-for.ts"
import { options, readArguments, serverOptions } from "./commands/arguments.ts"
import { allCommands, findCommand } from "./commands/registry.ts"
import { ensureTestModel } from "./engines/llama/testing/test-models.ts"
import { startBoxProcess } from "./testing/box-process.ts"
import { startModelServer } from "./testing/model-servers/model-server.ts"

const root = join(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/reference/command-line.md"), "utf8")
const configuration = readFileSync(join(root, "docs/reference/configuration.md"), "utf8")

interface Documented {
  name: string
  text: string
}

/** The sections of commands, by the command's words. */
const sections: Documented[] = page
  .split(/^### /m)
  .slice(1)
  .map((section) => ({ name: section.split("\n")[0] ?? "", text: section.split(/^## /m)[0] ?? "" }))

const optionsIn = (text: string) =>
  Array.from(text.matchAll(/^\| `--([\w-]+)/gm), ([, name = ""]) => name).toSorted()

/** Options that the page lists once for all commands. */
const shared = new Set(["user", "key"])

// Catches a command or an option that is added, renamed or removed without its documentation.
test("the command-line page lists every command with its options", async () => {
  const commands = (await allCommands()).filter(({ hidden }) => hidden !== true)
  const expected = commands.map(({ words, flags }) => {
    const isClient = flags.some(({ name }) => name === "key")
    const own = flags.map(({ name }) => name).filter((name) => !isClient || !shared.has(name))
    return [words.join(" "), own.toSorted()]
  })
  const documented = sections.map(({ name, text }) => [name, optionsIn(text)])
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(expected))
})

/** Lines of the page's shell examples. */
const linesOf = ({ text }: Documented): string[] =>
  Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = ""]) => block.trim().split("\n")).flat()

/** A line that needs a person or a server which the test doesn't have. */
const isElsewhere = (line: string) =>
  /^box ask|postgres:|s3:|127\.0\.0\.1:11434|models\.example|--files directory/.test(line)

// Catches an option in an example that the command doesn't have.
test("every example of the command-line page has options of its command", () => {
  for (const section of sections) {
    const known = new Set([...optionsIn(section.text), ...shared])
    for (const line of linesOf(section)) {
      const given = Array.from(line.matchAll(/box (?:-- )?\w.*/g), ([call]) => call).join(" ")
      const unknown = Array.from(given.matchAll(/ --([\w-]+)/g), ([, name = ""]) => name).filter(
        (name) => !known.has(name),
      )
      expect(unknown, line).toEqual([])
    }
  }
})

// Catches an example that fails.
test("every example of the command-line page works", { timeout: 300_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "casella-documented-"))
  await using server = await startModelServer(() => ({ text: "You have 25 days." }))
  const data = join(directory, "data")
  const box = await startBoxProcess(data, "--model", server.baseUrl)
  mkdirSync(join(directory, "models"))
  copyFileSync(ensureTestModel(), join(directory, "models/some-model.gguf"))
  const run = (line: string) => {
    const script = `box() { "${process.execPath}" "${builtProgram("cli")}" "$@"; }\n${line}`
    // A command run by npm needs Casella's folder.
    const cwd = line.includes("npm run") ? root : directory
    const env = { ...process.env, CASELLA_DATA: data, HOME: directory }
    const running = promisify(execFile)("bash", ["-c", script], { cwd, env })
    running.child.stdin?.end() // commands read piped text to its end
    return running
  }
  try {
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
    const { vector } = await client.folders.create({ body: { name: "Handbook" } })
    const file = new Blob(["You have 25 days of leave a year."])
    await client.files.upload({ params: { id: vector.id }, file, fileName: "leave.md" })
    await waitFor(async () => {
      expect((await client.folders.read({ params: vector })).vector.pendingCount).toBe(0)
    })
    await client.automations.create({
      body: { name: "Weekly report", prompt: "Report.", trigger: { kind: "manual" } },
    })
    const isStopped = ({ text }: Documented) => text.includes("Stop the server first")
    for (const section of sections.filter((each) => !isStopped(each)))
      for (const line of linesOf(section)) if (!isElsewhere(line)) await run(line)
    await box.stop()
    for (const section of sections.filter(isStopped))
      for (const line of linesOf(section)) if (!isElsewhere(line)) await run(line)
  } finally {
    if (box.child.exitCode === null) await box.stop("SIGKILL")
    rmSync(directory, { recursive: true, force: true })
  }
})

/** Splits a command line like a shell, as far as the documentation needs it. */
const splitWords = (line: string): string[] =>
  Array.from(
    line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, word]) => double ?? single ?? word ?? "",
  )

/** Commands in the code of a page, without what follows in a pipe or a comment. */
function readCalls(path: string): string[] {
  const text = readFileSync(join(root, path), "utf8").replaceAll(/\\\n\s*/g, " ")
  const code = Array.from(text.matchAll(/^```\w*\n(.*?)^```|^ {4}(.*)$|`([^`\n]+)`/gms), ([, ...found]) =>
    found.join(""),
  ).join("\n")
  const calls = code.matchAll(/(?:^|\| |\(|if )(?:npm run --silent box --|box(?= [a-z]+ )) ([^|\n#;<>&)]*)/gm)
  return Array.from(calls, ([, call = ""]) => call.trim())
}

// Catches a command anywhere in the documentation with a name or an option that doesn't exist.
test("every command in the documentation exists with its options", async () => {
  const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
  const ofServer = Object.keys(serverOptions)
  const wrong: string[] = []
  let count = 0
  for (const path of ["README.md", ...pages])
    for (const call of readCalls(path)) {
      const words = splitWords(call)
      const { values, positionals } = parseArgs({
        args: words,
        options,
        allowPositionals: true,
        strict: false,
      })
      const command = await findCommand(positionals.map(String))
      const known = new Set([
        "help",
        "data",
        "database-url",
        ...(command?.flags.map(({ name }) => name) ?? ofServer),
      ])
      count++
      if (positionals.length > 0 && positionals[0] !== "help" && !command) wrong.push(`${path}: ${call}`)
      if (Object.keys(values).some((name) => !known.has(name))) wrong.push(`${path}: ${call}`)
    }
  expect(count).toBeGreaterThan(40)
  expect(wrong).toEqual([])
})

// Catches an option or variable of the server that is added, renamed or removed without its documentation.
test("the configuration page lists every option and variable of the server", async () => {
  expect(optionsIn(configuration)).toEqual(Object.keys(serverOptions).toSorted())

  const sources = ["box-config.ts", "oidc-config.ts", "commands/models.ts", "commands/running-box.ts"]
  const named = sources.flatMap((path) =>
    Array.from(
      readFileSync(join(import.meta.dirname, path), "utf8").matchAll(/CASELLA_[A-Z_]+[A-Z]/g),
      ([name]) => name,
    ),
  )
  expect([...new Set(named)].filter((name) => !configuration.includes(`\`${name}\``))).toEqual([])
})

// Catches a start command in the documentation with an option that the server doesn't have.
test("the configuration page's commands have valid options", () => {
  const starts = Array.from(
    configuration.matchAll(/^npm .*? -- (.*?)(?: +#.*)?$/gm),
    ([, options = ""]) => options,
  )
  expect(starts.length).toBeGreaterThan(1)
  for (const options of starts) expect(() => readArguments(options.split(" "))).not.toThrow()
})
