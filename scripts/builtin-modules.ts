import { builtinModules } from "node:module"
import type { Plugin } from "vite"

/** As the bundler writes it: on a line of its own. A name that is `process` itself can't be asked of it. */
const imported = /^import (?:\* as ([\w$]+)|([\w$]+)?(?:, )?(\{[^}]*\})?) from "(?:node:)?([\w/]+)";$/gm

/**
 * Has programs take Node's own modules from `process.getBuiltinModule` instead of importing them: for an import Node makes a module of
 * each, with all that it exports, at the cost of a thirtieth of a start. No chunk may import another in a circle, since imports
 * come before everything and this doesn't.
 */
export function builtinModulesWhenRun(): Plugin {
  return {
    name: "builtin-modules-when-run",
    renderChunk: { order: "post", handler: (code) => ({ code: withoutImports(code) }) },
  }
}

/** The chunk without imports of Node's modules; its lines stay where they are. */
export const withoutImports = (code: string): string =>
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
