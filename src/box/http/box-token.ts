import { createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { newId } from "../core/ids.ts"

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

/** Header sent by a box that forwards a request to the active server. */
export const forwardedHeader = "x-casella-forwarded"

/** Sent with it: the forwarding box's local address to which the client connected. */
export const arrivalHeader = "x-casella-arrived-at"

/** Identifies the active server in its answers to other boxes, whichever address they use. */
export const boxIdHeader = "x-casella-box"
export const ownBoxId = newId()

/** Returns the local address to which the client connected, on this box or on the one that forwards the request; "" if unknown. */
export function arrivalAddress(request: IncomingMessage, token: string | null): string {
  const address = isForwarded(request, token) ? request.headers[arrivalHeader] : request.socket.localAddress
  return typeof address === "string" ? address : ""
}

/** Whether another box forwards the request. Its source address then doesn't identify the client. */
export function isForwarded({ headers }: IncomingMessage, token: string | null): boolean {
  return token !== null && isToken(headers[forwardedHeader], token)
}
