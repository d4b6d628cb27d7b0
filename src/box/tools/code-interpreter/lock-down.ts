import fs from "node:fs"
import { registerHooks, syncBuiltinESMExports } from "node:module"
import process from "node:process"
import { disable, refuse, dropFileAccess, dropRights } from "../../core/children/sandbox/give-up-rights.ts"

/**
 * Removes access to files, programs and modules from this process after it has loaded everything it needs. The process never has network
 * access. The actual sandbox is WebAssembly and the calls in `wasi/`. This function adds a second layer, as do Node's permission model and
 * the system's sandbox, if available.
 */
export function lockDown(): void {
  registerHooks({ resolve: refuse, load: refuse })
  for (const files of [fs, fs.promises]) disable(files)
  Object.defineProperty(process, "getBuiltinModule", { value: refuse })
  dropFileAccess()
  dropRights()
  syncBuiltinESMExports()
}
