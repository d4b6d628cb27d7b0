import type { ShellBridge } from "../../../shared/ipc.ts"

declare global {
  interface Window {
    /** Present when the desktop shell hosts the page. */
    casella?: ShellBridge
  }
}

/** What the desktop shell can do; undefined in a browser. */
export const shellBridge = (): ShellBridge | undefined => window.casella
