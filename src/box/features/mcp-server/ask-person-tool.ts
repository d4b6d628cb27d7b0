import { z } from "zod"
import { QuestionDraft } from "../../../shared/contract/questions.ts"
import type { McpServerDeps } from "./ports.ts"
import { jsonResult, defineTool, type McpTool } from "./tool.ts"

/** Programs give up on a call that sends no progress. */
const progressSeconds = 5
/** Maximum time that a call is held open. A question asked through the other APIs may wait for a week. */
const maxSeconds = 3_600

export const createAskPersonTool = (deps: McpServerDeps): McpTool =>
  defineTool({
    name: "ask_person",
    title: "Ask the person",
    description:
      "Asks the person whose computer this is to choose, by buttons in a notification, and waits for the answer. For a decision that is theirs, such as whether to go on. Without an answer in time it is `default`, or null.",
    scopes: ["notify"],
    readOnly: false,
    input: z.object({
      title: z.string().meta({ description: "The question in one line, 200 characters at most" }),
      description: z
        .string()
        .optional()
        .meta({ description: "What they should know, 2,000 characters at most" }),
      choices: z.array(z.string()).meta({ description: "2 to 6 different ones of 40 characters at most" }),
      default: z
        .string()
        .optional()
        .meta({ description: "The one of them that counts if nobody answers in time" }),
      expiresInSeconds: z
        .int()
        .min(10)
        .max(maxSeconds)
        .default(600)
        .meta({ description: "How long to wait" }),
    }),
    async run(input, { caller, signal, progress }) {
      const { id, title } = await deps.askPerson(caller, QuestionDraft.parse(input))
      for (;;) {
        progress(`Waiting for an answer to: ${title}`)
        const { status, answer } = await deps.question(caller, id, progressSeconds, signal)
        if (status !== "open") return jsonResult({ id, status, answer })
      }
    },
  })
