import type { ShellBridge } from "../../../shared/ipc.ts"

declare global {
  interface Window {
    /** Defined if the page runs in the desktop app. */
    casella?: ShellBridge
  }
}

/** The desktop app's functions; undefined in a browser. */
export const shellBridge = (): ShellBridge | undefined => window.casella
