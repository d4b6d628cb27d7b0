import { expect, test } from "vitest"
import { chunkNames } from "./start-chunks.ts"

/** Imports of each module; those after the bar are dynamic. */
const graph: Record<string, string> = {
  cli: "lean | command-line",
  "command-line": "database | run-box commands",
  "run-box": "server database lean | parser-pool",
  server: "schemas",
  commands: "database schemas",
  database: "sqlite",
  child: "messages | formats",
  formats: "schemas",
  messages: "",
  sqlite: "",
  schemas: "",
  lean: "",
}

const getInfo = (id: string) => {
  const [atOnce = "", later = ""] = (graph[id] ?? "").split("|")
  const list = (text: string) => text.split(" ").filter(Boolean)
  return id in graph
    ? {
        isEntry: id === "cli" || id === "child",
        importedIds: list(atOnce),
        dynamicallyImportedIds: list(later),
      }
    : null
}

// Catches a program that loads what only others need, files that import each other, and a first step that loads later modules.
test("modules loaded at startup share a file if the same programs load them", () => {
  const steps = { lean: ["cli"], box: ["command-line", "run-box"] }
  const others = { commands: ["command-line", "commands"], child: ["child"] }
  const names = chunkNames(steps, others, getInfo)
  const together = Object.entries(Object.groupBy(names.keys(), (id) => names.get(id) ?? ""))
  expect(together.map(([, ids = []]) => ids.toSorted().join(" ")).toSorted()).toEqual([
    "command-line database sqlite", // also loaded by commands
    "lean", // loaded by the first step
    "run-box server", // loaded only by the box
    "schemas", // also loaded by commands and, later, the child
  ])
})
