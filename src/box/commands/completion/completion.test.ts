import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../../../shared/client/http-client.ts"
import { runCommand, startBoxProcess, type BoxProcess } from "../../testing/box-process.ts"
import { testModelPath } from "../../testing/chat-server.ts"

const run = promisify(execFile)

let dataDir: string
let box: BoxProcess
const names = ["Hand book", "Harvest $(touch owned)", "Same", "Same", "Hav\u001b[2Joc"]
let ids: string[]

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-completion-"))
  box = await startBoxProcess(dataDir, "--model", testModelPath())
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
  const made = names.map(async (name) => (await client.folders.create({ body: { name } })).vector.id)
  ids = await Promise.all(made)
  await client.assistants.create({ body: { name: "Archivist", handle: "archivist" } })
})
afterAll(async () => {
  await box.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Bash's completions for the last of these words, as they would appear in the line. */
async function offered(...words: string[]): Promise<string[]> {
  const script = join(dataDir, "completion.bash")
  await writeFile(script, (await runCommand("completion", "bash")).stdout)
  const quoted = ["box", ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  const bash = `source '${script}'; COMP_WORDS=(${quoted.join(" ")}); COMP_CWORD=${words.length}
_box; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run("bash", ["--norc", "-c", bash], {
    cwd: dataDir,
    env: { ...process.env, CASELLA_DATA: dataDir },
  })
  return stdout.split("\n").filter((line) => line !== "")
}

describe("Completion in bash", { tags: "unix" }, () => {
  // Catches a script that bash refuses, or that offers other commands and options than exist.
  it("offers commands and options", async () => {
    expect(await offered("mod")).toEqual(["models"])
    expect(await offered("models", "")).toEqual(["list", "use", "add"])
    expect(await offered("chat", "--fo")).toEqual(["--folder"])
    expect(await offered("completion", "")).toEqual(["bash", "zsh", "fish"])
    expect(await offered("nonsense", "")).toEqual([])
  })

  // Catches names that are split, executed or contain control characters, and names of two folders.
  it("offers names from the running box, quoted for use in a command", async () => {
    expect(await offered("chat", "--folder", "HAN")).toEqual([String.raw`Hand\ book`])
    expect(await offered("chat", "--folder", `"Hand b`)).toEqual(["Hand book"])
    expect(await offered("chat", "--folder", "Harv")).toEqual([String.raw`Harvest\ \$\(touch\ owned\)`])
    const all = await offered("chat", "--folder", "")
    expect(all.toSorted()).toEqual(
      [String.raw`Hand\ book`, String.raw`Harvest\ \$\(touch\ owned\)`, ...ids.slice(2)].toSorted(),
    )
    expect(await offered("search", "x", "--data", dataDir, "--folder", "Hand")).toHaveLength(1)
    expect(await offered("chat", "--assistant", "a")).toEqual(["Archivist"])
    expect(await offered("models", "use", "scripted")).toHaveLength(1)
  })

  it("lists the supported shells", async () => {
    expect(await runCommand("completion", "tcsh")).toMatchObject({ code: 2, stdout: "" })
    for (const shell of ["zsh", "fish"])
      expect((await runCommand("completion", shell)).stdout).toContain("box")
  })
})
