import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"

const lean = JSON.stringify(new URL("lean-process.ts", import.meta.url).href)
const script = `
  import { startLean, stayLean } from ${lean}
  const add = (one, other) => one + other
  const run = () => { for (let turn = 0; turn < 1e6; turn++) add(turn, turn) }
  startLean(); run(); console.log("SETTLED"); stayLean(); run()`

// Would catch: a box whose code is never optimised, so that whatever takes long takes ten times as long; or one that loads the
// optimisers for its start alone.
test("code is optimised once the box has started, and not before", () => {
  const said = execFileSync(process.execPath, ["--trace-opt", "--input-type=module", "-e", script], {
    encoding: "utf8",
  })
  const [before, after] = said.split("SETTLED")
  const optimised = /compiling method .*<JSFunction (add|run) /
  expect(before).not.toMatch(optimised)
  expect(after).toMatch(optimised)
})

// Would catch: a start whose functions are compiled anew each time, at their first calls; or a box that goes on compiling all that it
// loads, called or not.
test("what is loaded for a start is kept compiled as a whole, what is loaded later isn't", () => {
  const directory = mkdtempSync(join(tmpdir(), "casella-lean-"))
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
  try {
    write("early.mjs", `export const early = { never: () => "an early sentence" }`)
    write("late.mjs", `export const late = { never: () => "a later sentence" }`)
    const script = `
      import { enableCompileCache } from "node:module"
      import { startLean, stayLean } from ${lean}
      startLean(); enableCompileCache("cache"); await import("./early.mjs"); stayLean(); await import("./late.mjs")`
    write("start.mjs", script)
    const { NODE_COMPILE_CACHE: _, ...env } = process.env
    execFileSync(process.execPath, ["start.mjs"], { cwd: directory, env })
    const kept = readdirSync(join(directory, "cache"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
      .join()
    expect(kept).toContain("an early sentence")
    expect(kept).not.toContain("a later sentence")
  } finally {
    rmSync(directory, { recursive: true })
  }
})
