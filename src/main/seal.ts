import { safeStorage } from "electron"
import type { Seal } from "../box/core/secret-store.ts"

/** The system's keychain as a seal; null where there is none, as on a Linux desktop without a key ring. */
export async function systemSeal(): Promise<Seal | null> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return null
  // Chromium's own fallback has its key in the program: no seal.
  if (process.platform === "linux" && safeStorage.getSelectedStorageBackend() === "basic_text") return null
  return {
    async close(value) {
      return (await safeStorage.encryptStringAsync(value)).toString("base64")
    },
    async open(sealed) {
      return (await safeStorage.decryptStringAsync(Buffer.from(sealed, "base64"))).result
    },
  }
}
