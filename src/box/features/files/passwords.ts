/** By which encrypted files are read and shown. They are nowhere but in memory, and end with the box. */
export interface FilePasswords {
  of(this: void, fileId: string): string | undefined
  remember(fileId: string, password: string): void
}

/** Then the one that was given first makes room: those that were given last may still have to be read. */
const mostRemembered = 1_000

export function createFilePasswords(): FilePasswords {
  const passwords = new Map<string, string>()
  return {
    of: (fileId) => passwords.get(fileId),
    remember(fileId, password) {
      passwords.delete(fileId)
      const [oldest] = passwords.keys()
      if (oldest !== undefined && passwords.size >= mostRemembered) passwords.delete(oldest)
      passwords.set(fileId, password)
    },
  }
}
