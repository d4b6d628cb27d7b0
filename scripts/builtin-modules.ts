import { builtinModules } from "node:module"
import type { Plugin } from "vite"

/** Matches the bundler's format, with each import on its own line. A name that is `process` itself can't be read from it. */
const imported = /^import (?:\* as ([\w$]+)|([\w$]+)?(?:, )?(\{[^}]*\})?) from "(?:node:)?([\w/]+)";$/gm

/**
 * Makes programs get Node's own modules from `process.getBuiltinModule` instead of importing them. For an import, Node builds a module with
 * all its exports, which costs about a thirtieth of the startup time. Chunks must not import each other in a cycle, because imports run
 * before everything else and these calls don't.
 */
export function builtinModulesWhenRun(): Plugin {
  return {
    name: "builtin-modules-when-run",
    renderChunk: { order: "post", handler: (code) => ({ code: removeImports(code) }) },
  }
}

/** Returns the chunk without imports of Node's modules; its line numbers don't change. */
export const removeImports = (code: string): string =>
  code.replace(imported, (whole, all?: string, main?: string, some?: string, name = "") => {
    if (!builtinModules.includes(name) || name === "process") return whole
    const asked = `process.getBuiltinModule("node:${name}")`
    return [
      all !== undefined && `var ${all} = ${asked};`,
      main !== undefined && `var ${main} = ${asked};`,
      some !== undefined && `var ${some.replaceAll(/\s+as\s+/g, ": ")} = ${main ?? asked};`,
    ]
      .filter((line) => line !== false)
      .join(" ")
  })
