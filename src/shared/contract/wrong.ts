import type { z } from "zod"
import { Sentence, type SentenceArguments, splitSentences } from "../sentences/sentence.ts"
import { validation } from "../sentences/validation.ts"
import type { FieldIssue } from "./errors.ts"
import type { SentenceBody } from "./sentence.ts"

export const say = splitSentences("validation", validation)

/** The message of a failing Zod check: `text.regex(/…/, wrong("email"))`. The issue also carries the sentence. */
export function wrong<Code extends keyof typeof validation>(
  code: Code,
  ...values: SentenceArguments<(typeof validation)[Code]>
): { error(issue: object): string } {
  const said = say(code, ...values)
  return { error: (issue) => setSentence(issue, said) }
}

/** The same for `addIssue`. */
export function issue<Code extends keyof typeof validation>(
  code: Code,
  ...values: SentenceArguments<(typeof validation)[Code]>
): { code: "custom"; message: string } {
  const { text, field } = say(code, ...values)
  return { code: "custom", message: text, ...field }
}

export function setSentence(issue: object, { text, field }: Sentence): string {
  Object.assign(issue, field)
  return text
}

/** Returns the sentence of an issue. */
export const getSentence = (issue: z.core.$ZodIssue): Sentence =>
  Sentence.asIs(issue.message, (issue as { sentence?: SentenceBody }).sentence)

export function toFieldIssue(field: string, issue: z.core.$ZodIssue): FieldIssue {
  const { text, field: statedField } = getSentence(issue)
  return { field, message: text, ...statedField }
}
