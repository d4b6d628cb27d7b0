import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { BoxValues } from "./database/box-values.ts"
import { DatabaseUnusable } from "./database/database.ts"
import { sealedCheck, type SecretStore } from "./secret-store.ts"

const prefix = "secret/"
const algorithm = "aes-256-gcm"
const nonceBytes = 12
const tagBytes = 16
/** Encrypted text that shows later whether the key is the same. */
const known = "casella"

/**
 * Stores secrets as values of the box, for boxes that take over from one another. Each is encrypted separately, bound to its name, with a
 * key that isn't in any of the box's files. Moves existing secrets from the file and empties it.
 * @param key 32 bytes
 * @throws DatabaseUnusable if they were encrypted with another key
 */
export async function openSecretRows(
  values: BoxValues,
  key: Buffer,
  file: SecretStore,
): Promise<SecretStore> {
  const check = await values.read(sealedCheck)
  if (check === null) await values.write([{ key: sealedCheck, value: seal(sealedCheck, known, key) }])
  else requireKey(check, key)

  const store: SecretStore = {
    async get(name) {
      const sealed = await values.read(prefix + name)
      return sealed === null ? null : unseal(name, sealed, key)
    },
    set: (name, value) => values.write([{ key: prefix + name, value: seal(name, value, key) }]),
    delete: (name) => values.remove(prefix + name),
    names: async () =>
      (await values.all()).flatMap(({ key: name }) =>
        name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
      ),
  }

  for (const name of await file.names()) {
    const value = await file.get(name)
    if (value !== null && (await store.get(name)) === null) await store.set(name, value)
    await file.delete(name)
  }
  return store
}

/** Throws DatabaseUnusable unless the check text was encrypted with this key. */
export function requireKey(check: string, key: Buffer): void {
  if (unseal(sealedCheck, check, key) !== known)
    throw new DatabaseUnusable(
      "CASELLA_SECRETS_KEY isn't the key with which the keys and tokens in this database were encrypted. Set the original key. If it is lost, see docs/how-to/add-a-standby-server.md.",
    )
}

/** Removes the secrets from rows that leave this box, as in a backup. */
export async function forgetSecretRows(values: BoxValues): Promise<void> {
  const sealed = (await values.all()).map(({ key }) => key).filter((key) => key.startsWith(prefix))
  await values.remove(sealedCheck, ...sealed)
}

function seal(name: string, value: string, key: Buffer): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(name))
  const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64")
}

/** Returns null if the text was encrypted for another name or with another key, or was changed. */
function unseal(name: string, text: string, key: Buffer): string | null {
  const bytes = Buffer.from(text, "base64")
  try {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    const opened = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]
    return Buffer.concat(opened).toString("utf8")
  } catch {
    return null
  }
}
