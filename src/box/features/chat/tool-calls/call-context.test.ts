import { expect, test } from "vitest"
import { spawnNodeChild } from "../../../core/children/child.ts"
import { createCodeInterpreter } from "../../../tools/code-interpreter.ts"
import { createCallContext } from "./call-context.ts"

// Catches a program's result that is treated as the user's own although it was made from files that others wrote.
test("treats a program's result made from files as foreign, now and when it is read back", async () => {
  await using python = createCodeInterpreter({ spawn: spawnNodeChild, readableFiles: async () => [] })
  const getLabels = (result: unknown) => {
    const context = createCallContext(new Map([[python.name, python]]))
    context.addResult({ toolName: python.name, args: {} }, result)
    return context.labels
  }
  expect(getLabels({ value: "1" })).toEqual([{ trusted: true, private: false }])
  expect(getLabels({ filesRead: 1, value: "1" })).toEqual([{ trusted: false, private: true }])
  expect(getLabels({ filesRead: 0, output: "names" })).toEqual([{ trusted: false, private: true }])
  expect(getLabels('{"filesRead":1, and so on: cut')).toEqual([{ trusted: false, private: true }])
})
