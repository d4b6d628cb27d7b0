import { z } from "zod"
import type { Response } from "undici"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

/** `details` of a refusal by a server: its status, and the page where the user can change settings. */
const Details = z.object({ status: z.number() })
const settings = "/settings/models"

/** Error formats of servers: OpenAI, older vLLM (`object`) and FastAPI (`detail`). */
const ServerError = z.object({
  error: z.unknown().optional(),
  object: z.unknown().optional(),
  message: z.string().optional().catch(undefined),
  detail: z
    .union([z.string(), z.array(z.object({ msg: z.string() })).min(1)])
    .optional()
    .catch(undefined),
})
const Described = z.object({
  message: z.string().min(1).optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  code: z.union([z.string(), z.number()]).optional().catch(undefined),
})

/** Maximum length of an error that is shown, in characters. */
const maxWords = 300

/** Saves parsing each chunk of an answer as an error. */
const mayBeError = (answer: unknown): boolean =>
  typeof answer === "object" &&
  answer !== null &&
  ("error" in answer || "detail" in answer || ("object" in answer && answer.object === "error"))

/** Returns the server's error message, or null if the answer reports no error. */
export function errorWords(answer: unknown): string | null {
  const first: unknown = Array.isArray(answer) ? answer[0] : answer
  if (!mayBeError(first)) return null
  const parsed = ServerError.safeParse(first)
  if (!parsed.success) return null
  const { error, object, message, detail } = parsed.data
  const cut = (words: string) => words.slice(0, maxWords)
  if (error) return cut(describeError(error))
  if (object === "error" && message !== undefined) return cut(message)
  if (detail === undefined) return null
  return cut(typeof detail === "string" ? detail : detail.map(({ msg }) => msg).join("; "))
}

function describeError(error: unknown): string {
  if (typeof error === "string") return error
  const { message, type, code } = Described.safeParse(error).data ?? {}
  const named = [type, code].filter((each) => each !== undefined).join(" ")
  return message ?? (named === "" ? JSON.stringify(error) : named)
}

/** Whether a server reports that an account has used up its paid quota. Waiting doesn't help then. */
const isOutOfQuota = (answer: unknown): boolean => {
  const { type, code } = Described.safeParse(ServerError.safeParse(answer).data?.error).data ?? {}
  return [type, code].includes("insufficient_quota")
}

/** Maximum length of an answer that is searched for the reason, in characters. */
const maxReasonLength = 10_000

/** Returns the status of a server's refusal; undefined for any other error. */
export const refusedWith = ({ details }: AppError): number | undefined =>
  Details.safeParse(details).data?.status

/** Wordings of Ollama, vLLM, llama-server, Groq and OpenRouter. */
const toolsUnsupported =
  /(?:not support|no endpoints found that support)[^.]{0,40}\b(?:tools?|function calling)\b|\b(?:tools?|function calling)\b[^.]{0,40}(?:not supported|requires? --)/i

/** Whether a server refused a request because its model can't call functions, or because it was started without function calling. */
export const refusesFunctions = (error: AppError): boolean =>
  refusedWith(error) !== undefined && toolsUnsupported.test(error.message)

/** Returns the error for an unsuccessful response. Its message names the server and quotes the server's message. */
export async function toRefusal(
  response: Response,
  server: string,
  redactKey: (answer: unknown) => unknown,
): Promise<AppError> {
  const { status } = response
  const details = { status, action: settings }
  const refusal = (code: AppError["code"], what: Sentence) => new AppError(code, what, { details })
  // The key must not follow a redirect to someone else.
  if (status < 400) return refusal("unavailable", sentence("remote.redirects", { server }))
  const answer = redactKey(await readAnswer(response))
  const reason = errorWords(answer)
  const because = (what: Sentence) =>
    reason === null ? what : sentence("remote.says", { what, words: reason })
  switch (status) {
    case 401:
    case 403:
      return refusal("unavailable", because(sentence("remote.key_refused", { server })))
    case 404:
      return refusal("unavailable", because(sentence("remote.address_unknown", { server })))
    case 429:
      return isOutOfQuota(answer)
        ? refusal("unavailable", because(sentence("remote.out_of_quota", { server })))
        : refusal("rate_limited", because(sentence("remote.busy", { server })))
    case 400:
    case 413:
    case 422:
      return refusal("validation", because(sentence("remote.request_refused", { server })))
    default:
      return refusal("unavailable", because(sentence("remote.failed", { server, status })))
  }
}

/** Parses the start of the server's answer as JSON. Returns null if it isn't JSON. */
const readAnswer = async (response: Response): Promise<unknown> =>
  tryJson(await readStart(response).catch(() => ""))

async function readStart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > maxReasonLength) break
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
