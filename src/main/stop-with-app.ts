import { app } from "electron"
import { writeOutput } from "../box/core/process/write-output.ts"
import type { RunningBox } from "../box/start-box.ts"

/** Time for the box to store running work before the app exits anyway. */
const stopTimeoutMs = 5_000

/** Shuts the box down cleanly before the app exits. */
export function stopWithApp(box: RunningBox): void {
  let stopping = false
  app.on("will-quit", (event) => {
    event.preventDefault()
    if (stopping) return
    stopping = true
    setTimeout(() => app.exit(1), stopTimeoutMs)
    box[Symbol.asyncDispose]().then(
      () => app.exit(0),
      (error: unknown) => {
        writeOutput(process.stderr, `The box didn't stop cleanly: ${String(error)}\n`)
        app.exit(1)
      },
    )
  })
}
