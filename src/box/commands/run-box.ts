import { fileURLToPath } from "node:url"
import { readWholeConfig, type BoxFlags } from "../box-config.ts"
import { endProcess } from "../core/process/end-process.ts"
import { stayLean } from "../core/process/lean-process.ts"
import { giveBackSpareMemory } from "../core/process/spare-memory.ts"
import { tell } from "../core/process/tell.ts"
import { keepTemporaryFiles } from "../core/files/temporary-files.ts"
import { faultExitCode, watchUncaught } from "../core/process/uncaught.ts"
import { onStop } from "../core/process/stop-signals.ts"
import { startBox } from "../start-box.ts"

/** The box must have stopped by then; see decisions.md 2. */
const longestStopMs = 4_500
/** Exit code where something couldn't be ended in good order. */
const failedStop = 1
/** From the beginning of the stop too. */
const killedAfterMs = 4_800

/** Where the built page is, seen from the bundle (`out/main`) or from the sources. */
export const builtPage = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../out/renderer" : "../renderer", import.meta.url),
)

/**
 * Runs the box until it is told to stop, or until an error of its own ends it with `faultExitCode`. Prints one line of JSON
 * on stdout when it is ready.
 */
export async function runBox(flags: BoxFlags): Promise<void> {
  const config = await readWholeConfig(flags)
  keepTemporaryFiles(config.dataDir)
  giveBackSpareMemory()
  const box = await startBox(config, { pageDir: builtPage })
  void box.begun.then(stayLean)
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
    // What was acknowledged is safe however the process ends; the next start takes up the rest.
    const end = (problem?: string, exitCode = code) => {
      if (problem !== undefined) tell(process.stderr, `The box didn't stop cleanly: ${problem}\n`)
      endProcess(exitCode, Math.max(0, killedAfterMs - (performance.now() - began)))
    }
    setTimeout(() => end("it took too long."), longestStopMs).unref()
    box[Symbol.asyncDispose]().then(
      () => end(),
      (error: unknown) => end(String(error), code || failedStop),
    )
  }
  onStop(stop)
  watchUncaught(box.logger, () => stop(faultExitCode))
  tell(process.stdout, `${JSON.stringify(ready)}\n`)
}
