import type { Client } from "../../../shared/client/calls.ts"
import { createBox } from "../box.ts"
import { sendWithProgress } from "./send-with-progress.ts"

/**
 * The box for one upload, which tells how much has been sent.
 *
 * @param onShare called with the share of the body that has left, 0 to 1.
 */
export const uploadingClient = (onShare: (share: number) => void): Client =>
  createBox((url, init) => sendWithProgress(url, init, onShare))
