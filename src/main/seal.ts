import { safeStorage } from "electron"
import type { Seal } from "../box/core/secret-store.ts"

/** Encrypts with the system's keychain. Returns null if there is none, as on a Linux desktop without a key ring. */
export async function systemSeal(): Promise<Seal | null> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return null
  // Chromium's fallback uses a key built into the program, so it protects nothing.
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
