import type { Client } from "../../../shared/client/calls.ts"
import { createBox } from "../box.ts"
import { sendWithProgress } from "./send-with-progress.ts"

/**
 * A client of the box for one upload that reports progress.
 *
 * @param onShare called with the share of the body that has been sent, 0 to 1.
 */
export const uploadingClient = (onShare: (share: number) => void): Client =>
  createBox((url, init) => sendWithProgress(url, init, onShare))
