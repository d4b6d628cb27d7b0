import { useSyncExternalStore } from "react"
import { shellBridge } from "./browser/shell-bridge.ts"

export interface OpenReport {
  /** The report in the outbox that is changed; none: a new one. */
  ticketId?: string
  /** The screen it is about. */
  page: string
  /** Data URL of what the window showed. */
  screenshot: string | null
}

let current: OpenReport | undefined
const listeners = new Set<() => void>()

function show(next: OpenReport | undefined): void {
  current = next
  for (const listener of listeners) listener()
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

/** Opens the dialog that writes to support, over whatever is shown. */
export async function openReport(): Promise<void> {
  const page = window.location.hash.slice(1).split("?", 1)[0] ?? ""
  show({ page, screenshot: await captureWindow() })
}

export const editReport = (ticketId: string): void => show({ ticketId, page: "", screenshot: null })

export const closeReport = (): void => show(undefined)

export const useOpenReport = (): OpenReport | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
