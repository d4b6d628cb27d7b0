/** Tracks open streams and sockets by credential, so that revoking a credential closes them. */
export interface LiveConnections {
  /**
   * Tracks a connection; dispose of the result when it closes. If its credential ended in the meantime, the connection is closed at once.
   */
  track(credentialId: string, close: () => void): Disposable
  /** Returns the ids of credentials with at least one open connection. */
  credentials(): string[]
  /** Closes all connections opened with the credential. */
  close(credentialId: string): void
  closeAll(): void
}

/**
 * A credential is checked moments before its connection is tracked, so only the most recently ended credentials are remembered, for a short
 * time. Credentials of a disabled user work again when the user is enabled.
 */
const maxRemembered = 1_000
const rememberedMs = 30_000

export function createLiveConnections(): LiveConnections {
  const byCredential = new Map<string, Set<() => void>>()
  /** When each credential ended, oldest first. */
  const endedAt = new Map<string, number>()
  const endAll = (credentialId: string) => {
    for (const end of byCredential.get(credentialId) ?? []) end()
  }
  return {
    track(credentialId, end) {
      const open = byCredential.get(credentialId) ?? new Set()
      byCredential.set(credentialId, open.add(end))
      if (performance.now() - (endedAt.get(credentialId) ?? -Infinity) < rememberedMs) end()
      return {
        [Symbol.dispose]() {
          open.delete(end)
          if (open.size === 0 && byCredential.get(credentialId) === open) byCredential.delete(credentialId)
        },
      }
    },
    credentials: () => [...byCredential.keys()],
    close(credentialId) {
      endedAt.delete(credentialId)
      endedAt.set(credentialId, performance.now())
      for (const oldest of endedAt.keys()) {
        if (endedAt.size <= maxRemembered) break
        endedAt.delete(oldest)
      }
      endAll(credentialId)
    },
    closeAll() {
      for (const credentialId of byCredential.keys()) endAll(credentialId)
    },
  }
}
