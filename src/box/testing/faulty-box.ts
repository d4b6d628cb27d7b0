import { startBoxProcess, type BoxProcess } from "./box-process.ts"

/**
 * Runs this JavaScript module in every Node process that `start` starts, before any other code. Use it to inject faults at a given point.
 */
export async function withScript<T>(script: string, start: () => Promise<T>): Promise<T> {
  const before = process.env["NODE_OPTIONS"]
  process.env["NODE_OPTIONS"] = `--import data:text/javascript,${encodeURIComponent(script)}`
  try {
    return await start()
  } finally {
    if (before === undefined) delete process.env["NODE_OPTIONS"]
    else process.env["NODE_OPTIONS"] = before
  }
}

export const startFaultyBox = (script: string, dataDir: string, ...flags: string[]): Promise<BoxProcess> =>
  withScript(script, () => startBoxProcess(dataDir, ...flags))

/**
 * Kills the box, like `kill -9`, before or after its nth call of a `node:fs/promises` function with an argument that ends with or equals
 * this.
 */
export const killsItself = (
  when: "before" | "after",
  name: string,
  argument: string | RegExp,
  nth = 1,
): string => `
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
const real = fs[${JSON.stringify(name)}]
const end = () => process.kill(process.pid, "SIGKILL")
const isMeantBy = (arg) => ${typeof argument === "string" ? `arg.endsWith(${JSON.stringify(argument)})` : `${String(argument)}.test(arg)`}
let calls = 0
fs[${JSON.stringify(name)}] = async (...args) => {
  const isMeant =
    args.some((arg) => typeof arg === "string" && isMeantBy(arg)) && ++calls === ${nth}
  if (isMeant && ${JSON.stringify(when)} === "before") end()
  const result = await real(...args)
  if (isMeant) end()
  return result
}
syncBuiltinESMExports()
`
