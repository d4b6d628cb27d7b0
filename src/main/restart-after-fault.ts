import { app, dialog } from "electron"
import { isExternalError } from "../box/core/process/uncaught.ts"
import { relaunchAfterEnd } from "./relaunch.ts"
import type { Strings } from "./strings/strings.ts"

export interface FaultOptions {
  strings: () => Strings
  log: (message: string) => void
  logPath: string
}

/**
 * The box runs in this process, so its state can't be trusted after its own uncaught error. Shows the error and offers a restart.
 * Acknowledged data is on disk, and the box resumes interrupted work.
 */
export function restartAfterFault({ strings, log, logPath }: FaultOptions): void {
  let failing = false
  process.on("uncaughtException", (error) => {
    log(`Uncaught: ${error.stack ?? String(error)}`)
    if (failing || isExternalError(error)) return
    failing = true
    const t = strings()
    const answer = dialog.showMessageBoxSync({
      type: "error",
      message: t("failed"),
      detail: t("failedDetail", { log: logPath, message: error.message }),
      buttons: [t("restart"), t("quitButton")],
      defaultId: 0,
      cancelId: 1,
    })
    if (answer === 0) relaunchAfterEnd()
    app.exit(1)
  })
  process.on("unhandledRejection", (reason) => {
    log(`Unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`)
  })
}
