import type { IncomingMessage } from "node:http"
import { newId } from "../core/ids.ts"
import { isToken } from "./box-token.ts"

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
