import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { v7 } from "uuid"

/** Returns a new UUIDv7, which sorts by creation time. */
export const newId = (): string => v7()

/**
 * Whether an ID can be one of Casella's. Only such IDs become names of files and directories, because those of a restored backup can be
 * anything.
 */
export const isOwnId = (id: string): boolean => /^[\w-]{1,100}$/.test(id)

/** Returns 32 random bytes as 43 base64url characters. */
export const newSecret = (): string => randomBytes(32).toString("base64url")

/** Returns the hash of a secret for storage. Secrets are 256 random bits, so a fast hash is enough. */
export const hashSecret = (secret: string): Buffer => hash("sha256", secret, "buffer")

/** Whether a secret matches the stored hash. Compares in constant time. */
export function isSecretOf(hash: Buffer, secret: string): boolean {
  const given = hashSecret(secret)
  return given.length === hash.length && timingSafeEqual(given, hash)
}

/** Latest time that a Date can hold, in milliseconds since 1970; the earliest is its negative. */
const maxTime = 8.64e15

/**
 * Returns the time, by default now, as ISO 8601 UTC with milliseconds. A time outside the range of a Date, which files may have, becomes
 * the nearest valid one.
 */
export const timestamp = (milliseconds: number = Date.now()): string =>
  new Date(Math.max(-maxTime, Math.min(maxTime, milliseconds))).toISOString()

/**
 * Returns milliseconds since 1970, or `unreadable` if the text isn't a time, as in a modified row: a timer set to NaN would fire at once.
 */
export function parseTimestamp(text: string, unreadable: number): number {
  const time = Date.parse(text)
  return Number.isNaN(time) ? unreadable : time
}
