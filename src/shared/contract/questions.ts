import { z } from "zod"
import { json } from "./endpoint.ts"
import { atMost, Id, pageQuery, Pagination, queryInteger, Timestamp } from "./primitives.ts"
import { issue, wrong } from "./wrong.ts"

/** Maximum time in seconds that a request may wait for an answer. */
export const maxWait = 60

const QuestionStatus = z
  .enum(["open", "answered", "expired"])
  .meta({ id: "QuestionStatus", description: "`expired`: nobody answered in time" })

const Choice = atMost(
  40,
  z.string().refine((text) => text.trim() !== "", wrong("not_empty")),
)

/** A question from a script, a program or a model to a user. */
export const Question = z
  .object({
    id: Id,
    title: z.string(),
    description: z.string(),
    choices: z.array(z.string()),
    default: z.string().nullable().meta({ description: "The answer of a question that expires" }),
    status: QuestionStatus,
    answer: z.string().nullable().meta({ description: "One of `choices`; null while there is none" }),
    answeredAt: Timestamp.nullable().meta({ description: "null also for an answer by default" }),
    expiresAt: Timestamp,
    createdAt: Timestamp,
  })
  .meta({ id: "Question" })
export type Question = z.infer<typeof Question>

/** A question as included in its notification. */
export const ToldQuestion = Question.pick({ id: true, choices: true, status: true, answer: true }).meta({
  id: "ToldQuestion",
})
export type ToldQuestion = z.infer<typeof ToldQuestion>

export const QuestionDraft = z
  .object({
    title: atMost(200, z.string().trim().min(1)),
    description: atMost(2000)
      .nullish()
      .transform((text) => text ?? ""),
    choices: z.array(Choice).min(2).max(6),
    default: z
      .string()
      .nullish()
      .transform((choice) => choice ?? null),
    expiresInSeconds: z.int().min(10).max(604_800),
  })
  .superRefine(({ choices, default: choice }, context) => {
    if (new Set(choices).size < choices.length)
      context.addIssue({ path: ["choices"], ...issue("different_choices") })
    if (choice !== null && !choices.includes(choice))
      context.addIssue({ path: ["default"], ...issue("one_of", { values: choices.join(", ") }) })
  })
  .meta({ id: "QuestionDraft" })
export type QuestionDraft = z.infer<typeof QuestionDraft>

const question = z.object({ question: Question })
const scope = ["notify", "assistants"] as const

/** Keys with the scope `notify` or `assistants` can ask, and read the questions asked with them. The app's user answers. */
export const questions = {
  list: json({
    method: "get",
    path: "/api/public/questions",
    summary: "Questions that wait for the caller's answer, newest first",
    scope,
    query: z.object(pageQuery),
    output: z.object({ questions: z.array(Question), pagination: Pagination }),
  }),
  ask: json({
    method: "post",
    path: "/api/public/questions",
    summary: "Ask the caller's person to choose: a notification whose choices are buttons",
    scope,
    body: QuestionDraft,
    status: 201,
    output: question,
  }),
  read: json({
    method: "get",
    path: "/api/public/questions/:id",
    summary: "A question: once it is decided, or after so many seconds",
    scope,
    query: z.object({ wait: queryInteger(0, maxWait, 0) }),
    output: question,
  }),
  answer: json({
    method: "post",
    path: "/api/public/questions/:id/answer",
    summary: "Answer a question, in the app only; 409 where it was answered already, or expired",
    access: "full",
    body: z.object({ choice: z.string() }),
    output: question,
  }),
} as const
