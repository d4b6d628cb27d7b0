import { fileURLToPath } from "node:url"
import { readConfig, type AuthFlags } from "../auth-config.ts"
import { createLogger } from "../core/logger.ts"
import { startAuthService } from "../start-auth-service.ts"

/** Time limit for stopping the service. */
const stopTimeoutMs = 4_500

/** The support page's files, relative to the bundle (`out/main`) or to the sources. */
const pageDir = fileURLToPath(
  new URL(
    import.meta.url.endsWith(".ts") ? "../../../resources/support-page" : "../../resources/support-page",
    import.meta.url,
  ),
)

/** Runs the service until SIGTERM or SIGINT. Prints one line of JSON on stdout when it is ready. */
export async function runService(flags: AuthFlags): Promise<void> {
  const config = readConfig(flags)
  const service = await startAuthService(config, pageDir, createLogger())
  const ready = { event: "ready", url: service.url, pid: process.pid, dataDir: config.dataDir }
  process.stdout.write(`${JSON.stringify(ready)}\n`)

  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), stopTimeoutMs).unref()
    service[Symbol.asyncDispose]().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`The auth service didn't stop cleanly: ${String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", stop)
}
