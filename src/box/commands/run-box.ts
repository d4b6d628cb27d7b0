import { fileURLToPath } from "node:url"
import { readWholeConfig, type BoxConfig, type BoxFlags } from "../box-config.ts"
import { DatabaseUnusable } from "../core/database/database.ts"
import { endProcess, onStop } from "../core/process/stop-signals.ts"
import { optimiseForRunning } from "../core/process/memory-flags.ts"
import { releaseSpareMemory } from "../core/process/spare-memory.ts"
import { writeOutput } from "../core/logging/logger.ts"
import { redirectTemporaryFiles } from "../core/files/temporary-files.ts"
import { faultExitCode, watchUncaught } from "../core/process/uncaught.ts"
import { startBox, type RunningBox } from "../start-box.ts"

/** Time after which work that is still running is cut off. The rest of the 5 s is for the end of the process, which a busy computer delays. */
const stopTimeoutMs = 4_200
/** Exit code if something couldn't be shut down cleanly. */
const failedStop = 1
/** Also measured from the start of the stop. */
const killedAfterMs = 4_900

/** Directory of the built page, relative to the bundle (`out/main`) or to the sources. */
export const builtPage = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../out/renderer" : "../renderer", import.meta.url),
)

/**
 * Runs the box until it receives a stop signal, or until an internal error ends it with `faultExitCode`. Prints one line of JSON on stdout
 * when it is ready.
 */
export async function runBox(flags: BoxFlags): Promise<void> {
  const config = await readWholeConfig(flags)
  redirectTemporaryFiles(config.dataDir)
  releaseSpareMemory()
  const box = await start(config)
  void box.allStarted.then(optimiseForRunning)
  const ready = {
    event: "ready",
    url: box.url,
    pid: process.pid,
    dataDir: box.dataDir,
    ...(box.firstRunKey === null ? {} : { firstRunKey: box.firstRunKey }),
  }
  let stopping = false
  const stop = (code = 0) => {
    if (stopping) return
    stopping = true
    const began = performance.now()
    // Acknowledged data is safe however the process ends; the next start resumes the rest.
    const end = (problem?: string, exitCode = code) => {
      if (problem !== undefined) writeOutput(process.stderr, `The server didn't stop cleanly: ${problem}\n`)
      endProcess(exitCode, Math.max(0, killedAfterMs - (performance.now() - began)))
    }
    setTimeout(() => end("it took too long."), stopTimeoutMs).unref()
    box[Symbol.asyncDispose]().then(
      () => end(),
      (error: unknown) => end(String(error), code || failedStop),
    )
  }
  onStop(stop)
  watchUncaught(box.logger, () => stop(faultExitCode))
  writeOutput(process.stdout, `${JSON.stringify(ready)}\n`)
}

async function start(config: BoxConfig): Promise<RunningBox> {
  process.on("uncaughtException", endStart)
  try {
    return await startBox(config, { pageDir: builtPage })
  } finally {
    process.off("uncaughtException", endStart)
  }
}

/** Nothing was promised to a client yet, so there is nothing to shut down cleanly. */
function endStart(error: Error): never {
  writeOutput(process.stderr, `${error instanceof DatabaseUnusable ? error.message : error.stack}\n`)
  endProcess(faultExitCode)
}
