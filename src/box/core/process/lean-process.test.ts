import { execFileSync } from "node:child_process"
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
