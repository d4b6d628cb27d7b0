import { expect, test } from "vitest"
import { readFlags } from "./flags.ts"

// Would catch: a flag of Electron's own that is taken for the box's, or local-only lost for the way it is written.
test("knows the box's flags among others, and local-only however it is written", () => {
  expect(readFlags(["--port", "8500", "--enable-logging", "casella://new", "--data=/d"])).toEqual({
    port: "8500",
    data: "/d",
  })
  for (const args of [["--local-only"], ["--local-only=1"], ["--local-only=yes", "--port=1"]])
    expect(readFlags(args)).toMatchObject({ "local-only": true })
})
