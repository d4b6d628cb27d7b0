import { createHmac, timingSafeEqual } from "node:crypto"

/** Of the key for secrets: what boxes with the same one have in common, another for each purpose. */
const derive = (secretsKey: Buffer, purpose: string): Buffer =>
  createHmac("sha256", secretsKey).update(`casella ${purpose}`).digest()

/** Sent with what a box passes on; the same each time (docs/internals.md says what it is worth to whoever hears it). */
export const forwardingToken = (secretsKey: Buffer): string =>
  derive(secretsKey, "forwarding").toString("base64url")

/** Makes the proofs of boxes that work for each other, and is never sent. What is derived for "worker" once was. */
export const workerKey = (secretsKey: Buffer): Buffer => derive(secretsKey, "worker proof")

/** Whether what another box says is the token, in a time that tells nothing of it. */
export function isToken(given: unknown, token: string): boolean {
  if (typeof given !== "string") return false
  const [one, other] = [Buffer.from(given), Buffer.from(token)]
  return one.length === other.length && timingSafeEqual(one, other)
}
