import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import packageJson from "../package.json" with { type: "json" }

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-npm-"))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** Replaces the built program. It is ready when it has written its pid, and it stops cleanly. */
const program = `
  process.on("SIGTERM", () => process.exit(0))
  setInterval(() => {}, 60_000)
  process.stdout.write(process.pid + " " + process.argv.slice(2).join(" "))
`

// Catches a shell between npm and the program that is ended by the signal, so that npm fails and the program keeps running.
test.each(["box", "auth"] as const)(
  "SIGTERM to `npm run %s` reaches the program, and npm returns its exit code",
  { tags: "unix" },
  async (name) => {
    await mkdir(join(directory, "scripts"))
    await writeFile(join(directory, `scripts/${name}.mjs`), program)
    await writeFile(
      join(directory, "package.json"),
      JSON.stringify({ scripts: { [name]: packageJson.scripts[name] } }),
    )
    const npm = spawn("npm", ["run", "--silent", name, "--", "--port", "0"], {
      cwd: directory,
      stdio: ["ignore", "pipe", "inherit"],
    })
    const exited = once(npm, "exit")
    const [output] = (await once(npm.stdout, "data")) as [Buffer]
    const [pid, ...flags] = output.toString().split(" ")
    expect(flags).toEqual(["--port", "0"])
    npm.kill("SIGTERM")
    expect(await exited).toEqual([0, null])
    expect(() => process.kill(Number(pid), 0)).toThrow(/ESRCH/)
  },
)
