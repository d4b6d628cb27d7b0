import type { Client } from "../../../shared/client/calls.ts"
import { createBox } from "../box.ts"

/**
 * `fetch` for uploads that reports progress, which the browser's own can't.
 *
 * @param onShare called with the share of the body that has been sent, 0 to 1.
 */
function sendWithProgress(
  url: string,
  { method = "GET", headers, body, signal }: RequestInit,
  onShare: (share: number) => void,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const request = new XMLHttpRequest()
  const fail = () => reject(new TypeError("The request could not be sent."))
  request.open(method, url)
  for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    if (total > 0) onShare(loaded / total)
  })
  request.addEventListener("load", () => {
    resolve(new Response(request.responseText, { status: request.status }))
  })
  request.addEventListener("error", fail)
  request.addEventListener("abort", fail)
  signal?.addEventListener("abort", () => request.abort())
  request.send(body as XMLHttpRequestBodyInit)
  return promise
}

/**
 * A client of the box for one upload that reports progress.
 *
 * @param onShare called with the share of the body that has been sent, 0 to 1.
 */
export const uploadingClient = (onShare: (share: number) => void): Client =>
  createBox((url, init) => sendWithProgress(url, init, onShare))
