import { useSyncExternalStore } from "react"

/** Creates a set of ids that components can subscribe to. */
export function createIdSet() {
  let ids: ReadonlySet<string> = new Set()
  const listeners = new Set<() => void>()

  function change(next: ReadonlySet<string>): void {
    ids = next
    for (const listener of listeners) listener()
  }

  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  return {
    has: (id: string) => ids.has(id),
    add: (id: string) => change(new Set([...ids, id])),
    delete: (id: string) => change(new Set([...ids].filter((other) => other !== id))),
    use: (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => ids),
  }
}
