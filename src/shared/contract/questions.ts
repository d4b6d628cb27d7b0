import { z } from "zod"
import { json } from "./endpoint.ts"
import { atMost, Id, pageQuery, Pagination, queryInteger, Timestamp } from "./primitives.ts"
import { issue, wrong } from "./wrong.ts"

/** Maximum time in seconds that a request may wait for an answer. */
export const maxWait = 60

const QuestionStatus = z
  .enum(["open", "answered", "expired"])
  .meta({ id: "QuestionStatus", description: "State of a question. `expired`: no one answered in time." })

const Choice = atMost(
  40,
  z.string().refine((text) => text.trim() !== "", wrong("not_empty")),
)

/** A question from a script, a program or a model to a user. */
export const Question = z
  .object({
    id: Id.describe("Identifier of the question."),
    title: z.string().describe("The question, up to 200 characters."),
    description: z.string().describe("More about the question, up to 2,000 characters."),
    choices: z.array(z.string()).describe("Possible answers."),
    default: z.string().nullable().describe("Answer of a question that expires; null for none."),
    status: QuestionStatus,
    answer: z.string().nullable().describe("The answer, one of `choices`; null while there is none."),
    answeredAt: Timestamp.nullable().describe("When a person answered; null if no one did."),
    expiresAt: Timestamp.describe("When the question expires."),
    createdAt: Timestamp.describe("When the question was asked."),
  })
  .meta({ id: "Question", description: "A question from a script, a program or a model to a person." })
export type Question = z.infer<typeof Question>

/** A question as included in its notification. */
export const ToldQuestion = Question.pick({ id: true, choices: true, status: true, answer: true }).meta({
  id: "ToldQuestion",
  description: "A question inside its notification.",
})
export type ToldQuestion = z.infer<typeof ToldQuestion>

export const QuestionDraft = z
  .object({
    title: atMost(200, z.string().trim().min(1)).describe("The question, up to 200 characters."),
    description: atMost(2000)
      .nullish()
      .transform((text) => text ?? "")
      .describe("More about the question, up to 2,000 characters."),
    choices: z.array(Choice).min(2).max(6).describe("Possible answers, 2 to 6. They are shown as buttons."),
    default: z
      .string()
      .nullish()
      .transform((choice) => choice ?? null)
      .describe("Answer if no one answers in time. It must be one of `choices`. Default: none."),
    expiresInSeconds: z
      .int()
      .min(10)
      .max(604_800)
      .describe("Seconds until the question expires, 10 to 604,800 (a week)."),
  })
  .superRefine(({ choices, default: choice }, context) => {
    if (new Set(choices).size < choices.length)
      context.addIssue({ path: ["choices"], ...issue("different_choices") })
    if (choice !== null && !choices.includes(choice))
      context.addIssue({ path: ["default"], ...issue("one_of", { values: choices.join(", ") }) })
  })
  .meta({ id: "QuestionDraft", description: "A question to ask." })
export type QuestionDraft = z.infer<typeof QuestionDraft>

const question = z.object({ question: Question.describe("The question.") })
const scope = ["notify", "assistants"] as const

/** Keys with the scope `notify` or `assistants` can ask, and read the questions asked with them. The app's user answers. */
export const questions = {
  list: json({
    method: "get",
    path: "/api/public/questions",
    summary: "List open questions",
    description: "Returns questions that wait for the caller's answer, newest first.",
    scope,
    query: z.object(pageQuery),
    output: z.object({
      questions: z.array(Question).describe("Questions of this page, newest first."),
      pagination: Pagination,
    }),
  }),
  ask: json({
    method: "post",
    path: "/api/public/questions",
    summary: "Ask a person",
    description:
      "Sends the caller a notification whose choices are buttons. Poll the question for the answer.",
    errors: ["conflict"],
    scope,
    body: QuestionDraft,
    status: 201,
    output: question,
  }),
  read: json({
    method: "get",
    path: "/api/public/questions/:id",
    summary: "Get a question",
    description: "Returns a question at once, or waits until it is answered or `wait` seconds have passed.",
    scope,
    query: z.object({ wait: queryInteger(0, maxWait, 0).describe("Seconds to wait for an answer.") }),
    output: question,
  }),
  answer: json({
    method: "post",
    path: "/api/public/questions/:id/answer",
    summary: "Answer a question",
    description: "Works only in the app. 409 if the question was answered or has expired.",
    errors: ["conflict"],
    access: "full",
    body: z.object({ choice: z.string().describe("One of the `choices`.") }),
    output: question,
  }),
} as const
