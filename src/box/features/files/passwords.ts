/** By which encrypted files are read and shown. They are nowhere but in memory, and end with the box. */
export interface FilePasswords {
  of(this: void, fileId: string): string | undefined
  remember(fileId: string, password: string): void
}

const mostRemembered = 1_000

export function createFilePasswords(): FilePasswords {
  const passwords = new Map<string, string>()
  return {
    of: (fileId) => passwords.get(fileId),
    remember(fileId, password) {
      if (passwords.size >= mostRemembered) passwords.clear()
      passwords.set(fileId, password)
    },
  }
}
