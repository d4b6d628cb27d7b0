/** The model that has a role, if any; another one may take its place while the box runs. */
export interface ModelInUse<Engine> {
  engine(): Engine | null
  /** Called when another one has the role; returns how to stop listening. */
  onReplaced(listener: () => void): () => void
}

/** A role whose model is replaced by what it is given. */
export interface ModelRole<Engine> extends ModelInUse<Engine>, AsyncDisposable {
  /** Takes another model into use, or none, and ends the one before. */
  replace(next: Engine | null): void | Promise<void>
  /** Begins to load the model, so that whoever asks first doesn't wait for it; a failure shows in its state. */
  load(): void
}

/** Keeps which model has a role, and tells when that changes. Whoever sets another one ends the one before. */
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
