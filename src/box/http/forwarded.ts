import type { IncomingMessage } from "node:http"
import { isToken } from "./box-token.ts"

/** Sent by a box that passes a request on to the one that runs. */
export const forwardedHeader = "x-casella-forwarded"

/** Whether another box passes the request on: where it comes from says nothing of who asks then. */
export function isForwarded({ headers }: IncomingMessage, token: string | null): boolean {
  return token !== null && isToken(headers[forwardedHeader], token)
}
