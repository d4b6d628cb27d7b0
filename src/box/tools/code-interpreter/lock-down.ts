import fs from "node:fs"
import { registerHooks, syncBuiltinESMExports } from "node:module"
import process from "node:process"
import { disable, refuse } from "../../core/children/walls/disable.ts"
import { giveUpFiles, giveUpRights } from "../../core/children/walls/give-up-rights.ts"

/**
 * Takes files, programs and modules from this process once it has all that it needs; the network never was there. The walls
 * are WebAssembly and the calls in `wasi/`, which is all that code is given. This stands behind them, and so do Node's
 * permission model and the system's own wall, where there are any.
 */
export function lockDown(): void {
  registerHooks({ resolve: refuse, load: refuse })
  for (const files of [fs, fs.promises]) disable(files)
  Object.defineProperty(process, "getBuiltinModule", { value: refuse })
  giveUpFiles()
  giveUpRights()
  syncBuiltinESMExports()
}
