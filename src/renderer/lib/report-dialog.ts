import { useState, useSyncExternalStore } from "react"
import { shellBridge } from "./browser/shell-bridge.ts"

export interface OpenReport {
  /** The queued report to edit; omitted for a new one. */
  ticketId?: string
  /** The page that it is about. */
  page: string
  /** The text of the error that it is about. */
  about?: string
  /** Screenshot of the window as a data URL. */
  screenshot: string | null
}

let current: OpenReport | undefined
/** Whether the app frame, which shows the dialog, is there. Before sign-in there is none. */
let framed = false
const listeners = new Set<() => void>()

function notifyListeners(): void {
  for (const listener of listeners) listener()
}

function show(next: OpenReport | undefined): void {
  current = next
  notifyListeners()
}

/** Lets errors offer a report while the frame is there. */
export function offerReports(): () => void {
  framed = true
  notifyListeners()
  return () => {
    framed = false
    notifyListeners()
  }
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))

/** A screenshot of the window, if the desktop app can take one. It waits until closing elements are gone. */
export async function captureWindow(): Promise<string | null> {
  await nextFrame()
  await nextFrame()
  return (
    (await shellBridge()
      ?.captureWindow()
      .catch(() => null)) ?? null
  )
}

/** Opens the report dialog over the current page. */
export async function openReport(about = ""): Promise<void> {
  if (current) return
  const page = window.location.hash.slice(1).split("?", 1)[0] ?? ""
  show({ page, about, screenshot: await captureWindow() })
}

export const editReport = (ticketId: string): void => show({ ticketId, page: "", screenshot: null })

export const closeReport = (): void => show(undefined)

export const useOpenReport = (): OpenReport | undefined => useSyncExternalStore(subscribe, () => current)

/** Whether errors can offer a report. Errors that occur while a report is being written, such as those in its dialog, can't. */
export function useCanReport(): boolean {
  const [reporting] = useState(() => current !== undefined)
  return useSyncExternalStore(subscribe, () => framed) && !reporting
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The browser database for report drafts on this computer. */
export const reportDatabase = "casella-report-drafts"
const prefix = "report-draft:"
export const reportKey = (name: string) => `${prefix}${name}`

/** Deletes all drafts, for example on sign-out. */
export function forgetReportDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
  indexedDB.deleteDatabase(reportDatabase)
}
