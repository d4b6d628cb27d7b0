import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { app, dialog } from "electron"
import { isExternalError } from "../box/core/process/uncaught.ts"
import { routeOfArguments, parseDeepLink } from "./arguments.ts"
import type { Strings } from "./strings/strings.ts"

const maxLogBytes = 1_000_000

/** Writes lines to `desktop.log` synchronously, because the program may end at any moment. Keeps one older file. */
export function createDesktopLog(path: string): (message: string) => void {
  return (message) => {
    process.stderr.write(`${message}\n`)
    try {
      mkdirSync(dirname(path), { recursive: true })
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(path, `${path}.1`)
      appendFileSync(path, `${new Date().toISOString()} ${message}\n`)
    } catch (error) {
      process.stderr.write(`The log can't be written: ${String(error)}\n`)
    }
  }
}

/** Called with a link's in-app route, or null if the program was only started again. */
export type FollowLink = (route: string | null) => void

/**
 * Listens for links and further starts as early as possible: on macOS, the link that starts the program arrives before there is anything to
 * show. Early links wait until a listener is set.
 */
export function collectLinks(): (follow: FollowLink) => void {
  let follow: FollowLink | undefined
  let latest: string | null = routeOfArguments(process.argv)
  const receive = (route: string | null) => {
    if (follow) follow(route)
    else latest = route ?? latest
  }
  app.on("second-instance", (_event, args) => receive(routeOfArguments(args)))
  app.on("open-url", (event, link) => {
    event.preventDefault()
    receive(parseDeepLink(link))
  })
  return (next) => {
    follow = next
    if (latest !== null) next(latest)
  }
}

/** Restarts the program after it exits, with its flags but without a link that was already followed. */
export function relaunchAfterEnd(): void {
  app.relaunch({ args: process.argv.slice(1).filter((argument) => !/^casella:/i.test(argument)) })
}

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
