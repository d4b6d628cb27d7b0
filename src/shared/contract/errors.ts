import { z } from "zod"
import type { Sentence } from "../sentences/sentence.ts"
import { AppError, errorStatus, type ErrorCode as Code } from "./app-error.ts"
import { SentenceBody } from "./sentence.ts"

export { AppError, errorStatus }

export type ErrorCode = Code
export const ErrorCode = z.enum(Object.keys(errorStatus) as [Code, ...Code[]])

/** One invalid field of a request body or query. */
export const FieldIssue = z.object({
  field: z.string().describe("Path of the field, such as `messages.0.content`."),
  message: z.string().describe("What is wrong with it, in a sentence for people."),
  sentence: SentenceBody.optional(),
})
export type FieldIssue = z.infer<typeof FieldIssue>

/** Error body of every box endpoint except `/api/v1/*`, which uses the OpenAI envelope. */
export const ErrorBody = z
  .object({
    error: z.string().describe("What happened, in a sentence for people. It may change between versions."),
    code: ErrorCode.describe("Error code for programs. It doesn't change."),
    sentence: SentenceBody.optional(),
    details: z
      .unknown()
      .optional()
      .describe(
        "More about the error. Its shape depends on the code: for `validation`, a list of `field` and `message`.",
      ),
  })
  .meta({ id: "Error", description: "An error. Every endpoint outside `/api/v1` uses this shape." })
export type ErrorBody = z.infer<typeof ErrorBody>

/** Error body of `/api/v1/*`: OpenAI's envelope. */
export const OpenAiErrorBody = z
  .object({
    error: z
      .object({
        message: z.string().describe("What happened, in a sentence for people."),
        type: z.string().describe("Kind of error, such as `invalid_request_error`."),
        code: z.string().nullable().describe("Error code for programs; null if there is none."),
        param: z.string().nullable().describe("Parameter that is wrong; null if no parameter is."),
      })
      .describe("The error."),
  })
  .meta({ id: "OpenAiError", description: "An error in OpenAI's format, as `/api/v1` returns it." })
export type OpenAiErrorBody = z.infer<typeof OpenAiErrorBody>

/** Error body of `/api/v1/messages`: Anthropic's envelope, with OpenAI's `code` and `param` in it. */
export const AnthropicErrorBody = z
  .object({
    type: z.literal("error").describe("Always `error`."),
    error: OpenAiErrorBody.shape.error.describe("The error."),
  })
  .meta({
    id: "AnthropicError",
    description: "An error in Anthropic's format, as `/api/v1/messages` returns it.",
  })
export type AnthropicErrorBody = z.infer<typeof AnthropicErrorBody>

/** Creates a 400 error that names the field to change. */
export function invalidField(field: string, sentence: Sentence): AppError {
  const issue: FieldIssue = { field, message: sentence.text, ...sentence.field }
  return new AppError("validation", sentence, { details: [issue] })
}
