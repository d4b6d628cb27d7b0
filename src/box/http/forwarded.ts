import { createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"

/** Sent by a box that passes a request on to the one that runs. */
export const forwardedHeader = "x-casella-forwarded"

/** What proves that a box with the same key for secrets sends it. */
export const forwardingToken = (secretsKey: Buffer): string =>
  createHmac("sha256", secretsKey).update("casella forwarding").digest("base64url")

/** Whether another box passes the request on: where it comes from says nothing of who asks then. */
export function isForwarded({ headers }: IncomingMessage, token: string | null): boolean {
  const given = headers[forwardedHeader]
  if (token === null || typeof given !== "string") return false
  const [one, other] = [Buffer.from(given), Buffer.from(token)]
  return one.length === other.length && timingSafeEqual(one, other)
}
