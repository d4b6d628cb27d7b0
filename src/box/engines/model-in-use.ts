/** The model that has a role, if any. It can be replaced while the box runs. */
export interface ModelInUse<Engine> {
  engine(): Engine | null
  /** Calls the listener when another model gets the role. Returns a function that stops listening. */
  onReplaced(listener: () => void): () => void
}

/** A role whose model can be replaced. */
export interface ModelRole<Engine> extends ModelInUse<Engine>, AsyncDisposable {
  /** Uses another model, or none, and ends the previous one. */
  replace(next: Engine | null): void | Promise<void>
  /** Starts loading the model, so that the first caller doesn't have to wait. A failure shows in its state. */
  load(): void
}

/** Tracks which model has a role and notifies listeners of changes. Setting another model ends the previous one. */
export function createModelInUse<Engine>(
  first: Engine | null,
): ModelInUse<Engine> & { set(next: Engine | null): void } {
  const listeners = new Set<() => void>()
  let engine = first
  return {
    engine: () => engine,
    onReplaced(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    set(next) {
      engine = next
      for (const listener of listeners) listener()
    },
  }
}
