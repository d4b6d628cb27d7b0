/** Passwords for reading and showing encrypted files. They are kept only in memory, until the server stops. */
export interface FilePasswords {
  of(this: void, fileId: string): string | undefined
  remember(fileId: string, password: string): void
}

/** Above this limit, the oldest password is dropped. Files with newer passwords may still have to be read. */
const maxRemembered = 1_000

export function createFilePasswords(): FilePasswords {
  const passwords = new Map<string, string>()
  return {
    of: (fileId) => passwords.get(fileId),
    remember(fileId, password) {
      passwords.delete(fileId)
      const [oldest] = passwords.keys()
      if (oldest !== undefined && passwords.size >= maxRemembered) passwords.delete(oldest)
      passwords.set(fileId, password)
    },
  }
}
