import { z } from "zod"
import type { Sentence } from "../sentences/sentence.ts"
import { AppError, errorStatus, type ErrorCode as Code } from "./app-error.ts"
import { SentenceBody } from "./sentence.ts"

export { AppError, errorStatus }

export type ErrorCode = Code
export const ErrorCode = z.enum(Object.keys(errorStatus) as [Code, ...Code[]])

/** One invalid field of a request body or query. */
export const FieldIssue = z.object({
  field: z.string(),
  message: z.string(),
  sentence: SentenceBody.optional(),
})
export type FieldIssue = z.infer<typeof FieldIssue>

/** Error body of every box endpoint except `/api/v1/*`, which uses the OpenAI envelope. */
export const ErrorBody = z
  .object({
    error: z.string(),
    code: ErrorCode,
    sentence: SentenceBody.optional(),
    details: z.unknown().optional(),
  })
  .meta({ id: "Error" })
export type ErrorBody = z.infer<typeof ErrorBody>

/** Error body of `/api/v1/*`: OpenAI's envelope. */
export const OpenAiErrorBody = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.string().nullable(),
      param: z.string().nullable(),
    }),
  })
  .meta({ id: "OpenAiError" })
export type OpenAiErrorBody = z.infer<typeof OpenAiErrorBody>

/** Error body of `/api/v1/messages`: Anthropic's envelope, with OpenAI's `code` and `param` in it. */
export const AnthropicErrorBody = z
  .object({ type: z.literal("error"), error: OpenAiErrorBody.shape.error })
  .meta({ id: "AnthropicError" })
export type AnthropicErrorBody = z.infer<typeof AnthropicErrorBody>

/** Creates a 400 error that names the field to change. */
export function invalidField(field: string, sentence: Sentence): AppError {
  const issue: FieldIssue = { field, message: sentence.text, ...sentence.field }
  return new AppError("validation", sentence, { details: [issue] })
}
