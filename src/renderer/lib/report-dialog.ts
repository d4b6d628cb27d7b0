import { useState, useSyncExternalStore } from "react"
import { shellBridge } from "./browser/shell-bridge.ts"

export interface OpenReport {
  /** The report in the outbox that is changed; none: a new one. */
  ticketId?: string
  /** The screen it is about. */
  page: string
  /** What an error said that it is about. */
  about?: string
  /** Data URL of what the window showed. */
  screenshot: string | null
}

let current: OpenReport | undefined
/** Whether there is a frame that shows the dialog: there is none before somebody has signed in. */
let framed = false
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

function show(next: OpenReport | undefined): void {
  current = next
  tell()
}

/** Has errors lead to a report as long as the frame is there. */
export function offerReports(): () => void {
  framed = true
  tell()
  return () => {
    framed = false
    tell()
  }
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))

/** The window as it is, where the desktop program can take it; what is closing has gone by then. */
export async function captureWindow(): Promise<string | null> {
  await nextFrame()
  await nextFrame()
  return (
    (await shellBridge()
      ?.captureWindow()
      .catch(() => null)) ?? null
  )
}

/** Opens the dialog that reports a problem, over whatever is shown. */
export async function openReport(about = ""): Promise<void> {
  if (current) return
  const page = window.location.hash.slice(1).split("?", 1)[0] ?? ""
  show({ page, about, screenshot: await captureWindow() })
}

export const editReport = (ticketId: string): void => show({ ticketId, page: "", screenshot: null })

export const closeReport = (): void => show(undefined)

export const useOpenReport = (): OpenReport | undefined => useSyncExternalStore(subscribe, () => current)

/** Whether errors can lead to a report; those that come up while one is written, as in its dialog, don't. */
export function useCanReport(): boolean {
  const [reporting] = useState(() => current !== undefined)
  return useSyncExternalStore(subscribe, () => framed) && !reporting
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
