import { createHmac, timingSafeEqual } from "node:crypto"

/** Derives a secret for one purpose. Boxes with the same secrets key derive the same value. */
const derive = (secretsKey: Buffer, purpose: string): Buffer =>
  createHmac("sha256", secretsKey).update(`casella ${purpose}`).digest()

/** Sent with requests that a box forwards. It doesn't change between requests. */
export const forwardingToken = (secretsKey: Buffer): string =>
  derive(secretsKey, "forwarding").toString("base64url")

/** Key for the proofs of boxes that work for each other; never sent. It isn't derived for "worker", because that value has been sent. */
export const workerKey = (secretsKey: Buffer): Buffer => derive(secretsKey, "worker proof")

/** Compares another box's value with the token in constant time. */
export function isToken(given: unknown, token: string): boolean {
  if (typeof given !== "string") return false
  const [one, other] = [Buffer.from(given), Buffer.from(token)]
  return one.length === other.length && timingSafeEqual(one, other)
}
