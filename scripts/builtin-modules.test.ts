import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { removeImports } from "./builtin-modules.ts"

// Catches lost names, packages or `process` itself treated as Node modules, and lines that move.
test("imports of Node's modules become process.getBuiltinModule calls", () => {
  const code = [
    'import fs, { readFile as read, rm } from "node:fs";',
    'import { join } from "path";',
    'import * as net from "node:net";',
    'import process from "node:process";',
    'import { app } from "electron";',
    'import { x } from "./x-1a2b.js";',
  ]
  expect(removeImports(code.join("\n")).split("\n")).toEqual([
    'var fs = process.getBuiltinModule("node:fs"); var { readFile: read, rm } = fs;',
    'var { join } = process.getBuiltinModule("node:path");',
    'var net = process.getBuiltinModule("node:net");',
    ...code.slice(3),
  ])
})

/** Imports of each chunk in a directory, which run before its code. */
const importsIn = (directory: string) =>
  new Map(
    readdirSync(directory)
      .filter((name) => name.endsWith(".js"))
      .map((name) => {
        const text = readFileSync(join(directory, name), "utf8")
        const imports = text.matchAll(/^(?:import|export) (?:[^"]* from )?"\.\/([^"]+)";$/gm)
        return [name, [...imports].map(([, other = ""]) => other)] as const
      }),
  )

// Catches a chunk function that is called before the chunk has its Node modules.
test("no chunks import each other in a cycle", { tags: "build" }, () => {
  const imports = importsIn(join(import.meta.dirname, "../out/main"))
  const leadsTo = (target: string, from: string, seen = new Set<string>()): boolean =>
    !seen.has(from) &&
    (imports.get(from) ?? []).some((next) => next === target || leadsTo(target, next, seen.add(from)))
  expect([...imports.values()].flat().length).toBeGreaterThan(0)
  expect([...imports.keys()].filter((name) => leadsTo(name, name))).toEqual([])
})
