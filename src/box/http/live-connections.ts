/** Open streams and sockets by the credential that opened them, so that revoking it ends them. */
export interface LiveConnections {
  /** Remembers a connection; dispose when it is closed. One whose credential was ended meanwhile is closed at once. */
  track(credentialId: string, close: () => void): Disposable
  /** Ids with at least one open connection. */
  credentials(): string[]
  /** Ends everything that was opened with the credential. */
  close(credentialId: string): void
  closeAll(): void
}

/**
 * A credential is checked moments before its connection is tracked, so it's enough to remember the last few that ended, for a short time.
 * Those of a disabled person work again as soon as the person is enabled.
 */
const mostRemembered = 1_000
const rememberedMs = 30_000

export function createLiveConnections(): LiveConnections {
  const byCredential = new Map<string, Set<() => void>>()
  /** When each ended, oldest first. */
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
        if (endedAt.size <= mostRemembered) break
        endedAt.delete(oldest)
      }
      endAll(credentialId)
    },
    closeAll() {
      for (const credentialId of byCredential.keys()) endAll(credentialId)
    },
  }
}
