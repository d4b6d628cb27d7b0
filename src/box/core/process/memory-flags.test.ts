import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"

const lean = JSON.stringify(new URL("memory-flags.ts", import.meta.url).href)
const script = `
  import { optimiseForStart, optimiseForRunning } from ${lean}
  const add = (one, other) => one + other
  const run = () => { for (let turn = 0; turn < 1e6; turn++) add(turn, turn) }
  optimiseForStart(); run(); console.log("SETTLED"); optimiseForRunning(); run()`

// Catches a box whose code is never optimised, so that long work takes ten times as long, and a box that loads the optimisers only for its
// start.
test("optimises code only after the box has started", () => {
  const said = execFileSync(process.execPath, ["--trace-opt", "--input-type=module", "-e", script], {
    encoding: "utf8",
  })
  const [before, after] = said.split("SETTLED")
  const optimised = /compiling method .*<JSFunction (add|run) /
  expect(before).not.toMatch(optimised)
  expect(after).toMatch(optimised)
})

// Catches a start that compiles its functions each time at their first calls, and a box that keeps compiling everything it loads, called or
// not.
test("caches the complete compiled code of a start, but not of code that is loaded later", () => {
  const directory = mkdtempSync(join(tmpdir(), "casella-lean-"))
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
  try {
    write("early.mjs", `export const early = { never: () => "an early sentence" }`)
    write("late.mjs", `export const late = { never: () => "a later sentence" }`)
    const script = `
      import { enableCompileCache } from "node:module"
      import { optimiseForStart, optimiseForRunning } from ${lean}
      optimiseForStart(); enableCompileCache("cache"); await import("./early.mjs"); optimiseForRunning(); await import("./late.mjs")`
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
