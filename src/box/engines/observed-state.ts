import type { EngineState } from "./engine.ts"

/** The state of an engine and the listeners for its changes. */
export interface ObservedState {
  readonly current: EngineState
  /** Notifies the listeners, unless nothing changed. */
  set(next: EngineState): void
  onState(listener: (state: EngineState) => void): () => void
}

export function createObservedState(): ObservedState {
  const listeners = new Set<(state: EngineState) => void>()
  let current: EngineState = { status: "idle" }
  return {
    get current() {
      return current
    },
    set(next) {
      if (JSON.stringify(next) === JSON.stringify(current)) return
      current = next
      for (const listener of listeners) listener(next)
    },
    onState(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
