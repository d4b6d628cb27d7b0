import { createClient, type Client } from "../../../shared/client/http-client.ts"
import { sendWithProgress } from "./send-with-progress.ts"
import { sessionHeaders } from "./session-secret.ts"

/**
 * The box for one upload, which tells how much has been sent.
 *
 * @param onShare called with the share of the body that has left, 0 to 1.
 */
export const uploadingClient = (onShare: (share: number) => void): Client =>
  createClient({
    baseUrl: "",
    headers: sessionHeaders,
    fetch: (url, init) => sendWithProgress(url, init, onShare),
  })
