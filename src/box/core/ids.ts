import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { v7 } from "uuid"

/** A new UUIDv7: sorts by the time it was made. */
export const newId = (): string => v7()

/**
 * Whether an id can be one of Casella's. Only such ids become names of files and directories, because those of a restored backup may be
 * anything.
 */
export const isOwnId = (id: string): boolean => /^[\w-]{1,100}$/.test(id)

/** 32 random bytes as 43 base64url characters. */
export const newSecret = (): string => randomBytes(32).toString("base64url")

/** What is stored of a secret. Secrets are 256 random bits, so a fast hash is enough. */
export const hashSecret = (secret: string): Buffer => hash("sha256", secret, "buffer")

/** Whether a secret is the one that was stored, in a time that tells nothing of it. */
export function isSecretOf(hash: Buffer, secret: string): boolean {
  const given = hashSecret(secret)
  return given.length === hash.length && timingSafeEqual(given, hash)
}

/** The latest time that a Date can hold, in milliseconds since 1970; the earliest is as far before. */
const maxTime = 8.64e15

/** Now, as ISO 8601 UTC with milliseconds. A time beyond what a Date can hold, as files may have, becomes the nearest that it can. */
export const timestamp = (milliseconds: number = Date.now()): string =>
  new Date(Math.max(-maxTime, Math.min(maxTime, milliseconds))).toISOString()

/** Milliseconds since 1970, or `unreadable` if the text is no time, as in an altered row: a timer set to NaN would fire at once. */
export function parseTimestamp(text: string, unreadable: number): number {
  const time = Date.parse(text)
  return Number.isNaN(time) ? unreadable : time
}
