import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import bounds from "../../bench/bounds.json" with { type: "json" }

const cli = fileURLToPath(new URL("../../out/main/cli.js", import.meta.url))
const counter = pathToFileURL(join(import.meta.dirname, "testing/count-loads.mjs")).href
const lister = join(import.meta.dirname, "testing/list-uncompiled.cjs")

/** Runs the built box with extra Node arguments and returns the result of `read` when the box reports that it is ready. */
async function runWhenReady<T>(
  { nodeArgs, env, directory }: { nodeArgs: string[]; env: Record<string, string>; directory: string },
  read: (pid: number) => T,
): Promise<T> {
  const args = [...nodeArgs, cli, "--port", "0", "--data", join(directory, "data")]
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...env },
  })
  try {
    await once(createInterface({ input: child.stdout }), "line")
    return read(child.pid ?? 0)
  } finally {
    const ended = once(child, "exit")
    child.kill()
    await ended
  }
}

/** Lists the files that the built box has loaded when it reports that it is ready. */
function loadedAtStart(directory: string): Promise<string[]> {
  const list = join(directory, "loads")
  const start = { nodeArgs: ["--import", counter], env: { COUNT_LOADS: list }, directory }
  return runWhenReady(start, (pid) => {
    const loads = readFileSync(list, "utf8").trim().split("\n")
    const own = `${pid} `
    return loads.filter((line) => line.startsWith(own)).map((line) => line.slice(own.length))
  })
}

// Catches an import that makes every start load code needed only by some boxes or requests, such as an HTTP client.
test("loads no more than it needs at startup", { tags: "build" }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "casella-loads-"))
  try {
    const loaded = [...new Set(await loadedAtStart(directory))]
    expect(loaded).toContain(cli)
    const kilobytes = loaded.reduce((sum, path) => sum + statSync(path).size, 0) / 1000
    expect(loaded.length, loaded.join("\n")).toBeLessThanOrEqual(bounds.start.files)
    expect(kilobytes).toBeLessThanOrEqual(bounds.start.kilobytes)
    expect(loaded.filter((path) => /undici|modelcontextprotocol|\/tar\//.test(path))).toEqual([])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

// Catches Node modules that load only after V8's settings have changed, so that V8 has to compile each of them again.
test("uses Node's precompiled modules at startup", { tags: "build" }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "casella-compiled-"))
  try {
    const list = join(directory, "uncompiled")
    const nodeArgs = ["--expose-internals", "--require", lister]
    const names = await runWhenReady({ nodeArgs, env: { LIST_UNCOMPILED: list }, directory }, () =>
      readFileSync(list, "utf8").split("\n"),
    )
    // The remaining modules can't be loaded by name. They are small internal parts that Node loads on first use of another module.
    expect(names.filter((name) => !name.startsWith("internal/"))).toEqual([])
    expect(names.length, names.join("\n")).toBeLessThanOrEqual(bounds.start.uncompiled)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
