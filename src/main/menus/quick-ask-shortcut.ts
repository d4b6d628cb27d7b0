import { globalShortcut } from "electron"

export interface QuickAskShortcut {
  /** Null: there are none. */
  readonly keys: string | null
  /** Whether pressing them does anything: another program may hold them. */
  readonly registered: boolean
  change(keys: string | null): void
}

/** The keys that call quick ask from any program. */
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
      return false // these aren't keys
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
