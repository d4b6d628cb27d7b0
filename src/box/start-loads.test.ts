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

/** What `read` says once the built box, started with further arguments of Node's, says that it is ready. */
async function atReady<T>(
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

/** The files that the built box has loaded by then. */
function loadedAtStart(directory: string): Promise<string[]> {
  const list = join(directory, "loads")
  const start = { nodeArgs: ["--import", counter], env: { COUNT_LOADS: list }, directory }
  return atReady(start, (pid) => {
    const loads = readFileSync(list, "utf8").trim().split("\n")
    const own = `${pid} `
    return loads.filter((line) => line.startsWith(own)).map((line) => line.slice(own.length))
  })
}

// Would catch: an import that has every start load what only some boxes or requests need, such as a client for other machines.
test("a start loads no more than it needs", { tags: "build" }, async () => {
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

// Would catch: modules of Node's that a start loads only after V8's settings have changed, so that V8 compiles each of them anew.
test("a start takes Node's own modules as Node compiled them", { tags: "build" }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "casella-compiled-"))
  try {
    const list = join(directory, "uncompiled")
    const nodeArgs = ["--expose-internals", "--require", lister]
    const names = await atReady({ nodeArgs, env: { LIST_UNCOMPILED: list }, directory }, () =>
      readFileSync(list, "utf8").split("\n"),
    )
    // What these need can't be asked for by name: small parts that Node loads when something else is first used.
    expect(names.filter((name) => !name.startsWith("internal/"))).toEqual([])
    expect(names.length, names.join("\n")).toBeLessThanOrEqual(bounds.start.uncompiled)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
