import { expect, test } from "vitest"
import { readFlags } from "./arguments.ts"

// Catches an Electron flag mistaken for one of the box's, and a local-only flag that is ignored because of its spelling.
test("recognises the box's flags among others, and local-only in every spelling", () => {
  expect(readFlags(["--port", "8500", "--enable-logging", "casella://new", "--data=/d"])).toEqual({
    port: "8500",
    data: "/d",
  })
  for (const args of [["--local-only"], ["--local-only=1"], ["--local-only=yes", "--port=1"]])
    expect(readFlags(args)).toMatchObject({ "local-only": true })
})
