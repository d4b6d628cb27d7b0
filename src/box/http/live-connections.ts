/** Open streams and sockets by the credential that opened them, so that revoking it ends them. */
export interface LiveConnections {
  /** Remembers a connection; dispose when it is closed. */
  track(credentialId: string, close: () => void): Disposable
  /** Ids with at least one open connection. */
  credentials(): string[]
  /** Ends everything that was opened with the credential. */
  close(credentialId: string): void
  closeAll(): void
}

export function createLiveConnections(): LiveConnections {
  const byCredential = new Map<string, Set<() => void>>()
  const close = (credentialId: string) => {
    for (const end of byCredential.get(credentialId) ?? []) end()
  }
  return {
    track(credentialId, end) {
      const open = byCredential.get(credentialId) ?? new Set()
      byCredential.set(credentialId, open.add(end))
      return {
        [Symbol.dispose]() {
          open.delete(end)
          if (open.size === 0) byCredential.delete(credentialId)
        },
      }
    },
    credentials: () => [...byCredential.keys()],
    close,
    closeAll() {
      for (const credentialId of byCredential.keys()) close(credentialId)
    },
  }
}
