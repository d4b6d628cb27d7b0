import { createHash, randomBytes } from "node:crypto"
import { v7 } from "uuid"

/** A new UUIDv7, which sorts by creation time. */
export const newId = (): string => v7()

/** 32 random bytes as 43 base64url characters. */
export const newSecret = (): string => randomBytes(32).toString("base64url")

/** The stored hash of a secret. Secrets are 256 random bits, so a fast hash is enough. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("base64url")

/** The current time as ISO 8601 UTC with milliseconds. */
export const timestamp = (milliseconds: number = Date.now()): string => new Date(milliseconds).toISOString()
