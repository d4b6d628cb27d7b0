import { globalShortcut } from "electron"

export interface QuickAskShortcut {
  /** Null if no shortcut is set. */
  readonly keys: string | null
  /** Whether the shortcut works; another program may already use it. */
  readonly registered: boolean
  change(keys: string | null): void
}

/** Registers the global shortcut that opens quick ask from any program. */
export function registerQuickAskShortcut(first: string | null, onPress: () => void): QuickAskShortcut {
  let keys: string | null = null
  let registered = false

  function change(next: string | null): void {
    if (keys !== null && registered) globalShortcut.unregister(keys)
    keys = next
    registered = next !== null && register(next)
  }

  function register(next: string): boolean {
    try {
      return globalShortcut.register(next, onPress)
    } catch {
      return false // invalid shortcut
    }
  }

  change(first)
  return {
    get keys() {
      return keys
    },
    get registered() {
      return registered
    },
    change,
  }
}
