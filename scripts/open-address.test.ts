import { spawnSync } from "node:child_process"
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

// Catches a sign-in link in a browser's arguments, where any user of the computer could read it first.
test("the browser gets a private file, not the address", { tags: "linux" }, async () => {
  const directory = await mkdtemp(join(tmpdir(), "open-address-"))
  try {
    const seen = join(directory, "seen")
    await writeFile(
      join(directory, "xdg-open"),
      `#!/bin/sh\nprintf '%s\\n' "$@" > ${seen}.partial\nmv ${seen}.partial ${seen}\n`,
    )
    await chmod(join(directory, "xdg-open"), 0o755)
    const address = "http://127.0.0.1:8484/#/signin?token=one-time</script>"
    const script = `
        import { existsSync } from "node:fs"
        import { openAddress } from ${JSON.stringify(new URL("open-address.mjs", import.meta.url).href)}
        process.umask(0)
        openAddress(${JSON.stringify(address)}, (error) => { throw error })
        while (!existsSync(${JSON.stringify(seen)})) await new Promise(setImmediate)
      `
    const env = { ...process.env, PATH: `${directory}:${process.env["PATH"]}` }
    const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], { env, timeout: 20_000 })
    expect(ran.status, String(ran.stderr)).toBe(0)
    const [target = "", ...more] = (await readFile(seen, "utf8")).trim().split("\n")
    expect(more).toEqual([])
    expect(target).toMatch(/^file:\/\/.*\.html$/)
    expect((await stat(fileURLToPath(target))).mode & 0o777).toBe(0o600)
    const page = await readFile(fileURLToPath(target), "utf8")
    const redirectTarget = /location\.replace\((".*")\)<\/script>$/.exec(page)?.[1] ?? ""
    expect(redirectTarget).not.toContain("<")
    expect(JSON.parse(redirectTarget)).toBe(address)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
