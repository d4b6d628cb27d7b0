import { fileURLToPath } from "node:url"
import { readConfig, type BoxFlags } from "../box-config.ts"
import { keepTemporaryFiles } from "../core/temporary-files.ts"
import { startBox } from "../start-box.ts"

/** The box must have stopped by then; see decisions.md 2. */
const longestStopMs = 4_500

/** Where the built page is, seen from the bundle (`out/main`) or from the sources. */
export const builtPage = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../out/renderer" : "../renderer", import.meta.url),
)

/** Runs the box until SIGTERM or SIGINT. Prints one line of JSON on stdout when it is ready. */
export async function runBox(flags: BoxFlags): Promise<void> {
  const config = readConfig(flags)
  keepTemporaryFiles(config.dataDir)
  const box = await startBox(config, { pageDir: builtPage })
  const ready = {
    event: "ready",
    url: box.url,
    pid: process.pid,
    dataDir: box.dataDir,
    ...(box.firstRunKey === null ? {} : { firstRunKey: box.firstRunKey }),
  }
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), longestStopMs).unref()
    box[Symbol.asyncDispose]().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`The box didn't stop cleanly: ${String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", stop)
  process.stdout.write(`${JSON.stringify(ready)}\n`)
}
