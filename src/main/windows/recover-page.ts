import type { BrowserWindow } from "electron"
import type { Strings } from "../strings/strings.ts"

const windowMs = 60_000
const maxCrashes = 3

/** Returns after each crash whether to retry: at most three times within a minute. */
export function createCrashLimit(now: () => number = () => performance.now()): () => boolean {
  let crashes: number[] = []
  return () => {
    crashes = [...crashes.filter((time) => now() - time < windowMs), now()]
    return crashes.length <= maxCrashes
  }
}

const policy = "default-src 'none'; style-src 'unsafe-inline'"
const style =
  "body{font:15px/1.5 system-ui;max-width:28rem;margin:20vh auto;padding:0 1.5rem;color-scheme:light dark}" +
  "h1{font-size:1.25rem}"

const escape = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Address of a page that replaces one that keeps crashing. It needs no script and no server. */
export function failurePage(t: Strings, boxUrl: string, reason: string): string {
  const html = `<!doctype html><html lang="${t.language}"><meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}"><title>Casella</title><style>${style}</style>
<h1>${escape(t("pageFailed"))}</h1><p>${escape(t("pageFailedDetail", { reason }))}</p>
<p><a href="${escape(boxUrl)}/">${escape(t("tryAgain"))}</a></p></html>`
  return `data:text/html;charset=utf-8,${encodeURIComponent(html)}`
}

export interface RecoverPageOptions {
  window: BrowserWindow
  boxUrl: string
  strings: () => Strings
  log: (message: string) => void
}

/** Reloads a window's page when its process crashes. A page that keeps crashing is replaced by an error page. */
export function recoverPage({ window, boxUrl, strings, log }: RecoverPageOptions): void {
  const mayRetry = createCrashLimit()
  window.webContents.on("render-process-gone", (_event, { reason }) => {
    if (reason === "clean-exit") return
    log(`The page's process ended: ${reason}`)
    if (mayRetry()) window.webContents.reload()
    else void window.loadURL(failurePage(strings(), boxUrl, reason))
  })
}
