import type { IncomingMessage } from "node:http"
import { newId } from "../core/ids.ts"
import { isToken } from "./box-token.ts"

/** Sent by a box that passes a request on to the one that runs. */
export const forwardedHeader = "x-casella-forwarded"

/** Sent with it: the local address of that box to which the client connected. */
export const arrivalHeader = "x-casella-arrived-at"

/** Identifies the running box in its answers to other boxes, at whatever address they reach it. */
export const boxIdHeader = "x-casella-box"
export const ownBoxId = newId()

/** The local address to which the client connected, on this box or on the one that forwards the request; "" if unknown. */
export function arrivalAddress(request: IncomingMessage, token: string | null): string {
  const address = isForwarded(request, token) ? request.headers[arrivalHeader] : request.socket.localAddress
  return typeof address === "string" ? address : ""
}

/** Whether another box passes the request on: where it comes from says nothing of who asks then. */
export function isForwarded({ headers }: IncomingMessage, token: string | null): boolean {
  return token !== null && isToken(headers[forwardedHeader], token)
}
