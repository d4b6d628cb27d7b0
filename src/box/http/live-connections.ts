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

/** A credential is checked moments before its connection is tracked, so the last few that ended suffice. */
const mostRemembered = 1_000

export function createLiveConnections(): LiveConnections {
  const byCredential = new Map<string, Set<() => void>>()
  const ended = new Set<string>()
  const endAll = (credentialId: string) => {
    for (const end of byCredential.get(credentialId) ?? []) end()
  }
  return {
    track(credentialId, end) {
      const open = byCredential.get(credentialId) ?? new Set()
      byCredential.set(credentialId, open.add(end))
      if (ended.has(credentialId)) end()
      return {
        [Symbol.dispose]() {
          open.delete(end)
          if (open.size === 0 && byCredential.get(credentialId) === open) byCredential.delete(credentialId)
        },
      }
    },
    credentials: () => [...byCredential.keys()],
    close(credentialId) {
      ended.add(credentialId)
      for (const oldest of ended) {
        if (ended.size <= mostRemembered) break
        ended.delete(oldest)
      }
      endAll(credentialId)
    },
    closeAll() {
      for (const credentialId of byCredential.keys()) endAll(credentialId)
    },
  }
}
