import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

// Catches a request for help that sets everything up and starts a server instead.
test.each(["--help", "-h"])("npm start -- %s says how to use it", (flag) => {
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, "start.mjs"), flag], {
    encoding: "utf8",
  })
  expect(stdout).toMatch(/^Usage: npm start/)
  expect(status).toBe(0)
})
