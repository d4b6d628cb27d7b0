import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { withoutImports } from "./builtin-modules.ts"

// Would catch: names that are lost, packages and the process itself that are taken for modules of Node, lines that move.
test("imports of Node's modules become questions for them", () => {
  const code = [
    'import fs, { readFile as read, rm } from "node:fs";',
    'import { join } from "path";',
    'import * as net from "node:net";',
    'import process from "node:process";',
    'import { app } from "electron";',
    'import { x } from "./x-1a2b.js";',
  ]
  expect(withoutImports(code.join("\n")).split("\n")).toEqual([
    'var fs = process.getBuiltinModule("node:fs"); var { readFile: read, rm } = fs;',
    'var { join } = process.getBuiltinModule("node:path");',
    'var net = process.getBuiltinModule("node:net");',
    ...code.slice(3),
  ])
})

/** What each chunk of a directory imports before it runs. */
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

// Would catch: a function of a chunk that is called before the chunk has Node's modules.
test("no chunks import each other in a circle", { tags: "build" }, () => {
  const imports = importsIn(join(import.meta.dirname, "../out/main"))
  const leadsTo = (target: string, from: string, seen = new Set<string>()): boolean =>
    !seen.has(from) &&
    (imports.get(from) ?? []).some((next) => next === target || leadsTo(target, next, seen.add(from)))
  expect([...imports.values()].flat().length).toBeGreaterThan(0)
  expect([...imports.keys()].filter((name) => leadsTo(name, name))).toEqual([])
})
