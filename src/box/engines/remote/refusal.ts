import { z } from "zod"
import type { Response } from "undici"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** `details` of what a server refuses: its status, and where the person can change something. */
const Details = z.object({ status: z.number() })
const settings = "/settings/models"

const Refusal = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) })

/** Longest answer that is read for the reason, in characters. */
const longestReason = 10_000

/** The status that a server refused with; undefined for what isn't a refusal of a server. */
export const refusedWith = ({ details }: AppError): number | undefined =>
  Details.safeParse(details).data?.status

/** As Ollama, vLLM, llama-server, Groq and OpenRouter word it. */
const noFunctions =
  /(?:not support|no endpoints found that support)[^.]{0,40}\b(?:tools?|function calling)\b|\b(?:tools?|function calling)\b[^.]{0,40}(?:not supported|requires? --)/i

/** Whether a server refused a request because its model, or itself as it was started, can't call functions. */
export const refusesFunctions = (error: AppError): boolean =>
  refusedWith(error) !== undefined && noFunctions.test(error.message)

/** What a response that isn't a success means, in a sentence that names the server, and its words as `hide` lets them be shown. */
export async function toRefusal(
  response: Response,
  server: string,
  hide: (words: string) => string,
): Promise<AppError> {
  const { status } = response
  const details = { status, action: settings }
  const refusal = (code: AppError["code"], what: Sentence) => new AppError(code, what, { details })
  // The key must not follow a redirection to somebody else.
  if (status < 400) return refusal("unavailable", sentence("remote.redirects", { server }))
  const reason = await readReason(response, hide)
  const because = (what: Sentence) =>
    reason === null ? what : sentence("remote.says", { what, words: reason })
  switch (status) {
    case 401:
    case 403:
      return refusal("unavailable", because(sentence("remote.key_refused", { server })))
    case 404:
      return refusal("unavailable", because(sentence("remote.address_unknown", { server })))
    case 429:
      return refusal("rate_limited", sentence("remote.busy", { server }))
    case 400:
    case 413:
    case 422:
      return refusal("validation", because(sentence("remote.request_refused", { server })))
    default:
      return refusal("unavailable", because(sentence("remote.failed", { server, status })))
  }
}

/** The server's own words, cut short; no more of its answer is read than that. */
async function readReason(response: Response, hide: (words: string) => string): Promise<string | null> {
  const parsed = Refusal.safeParse(tryJson(await readStart(response).catch(() => "")))
  if (!parsed.success) return null
  const { error } = parsed.data
  return hide(typeof error === "string" ? error : error.message).slice(0, 300)
}

async function readStart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > longestReason) break
  }
  return text
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
