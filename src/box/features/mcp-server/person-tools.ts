import { z } from "zod"
import { NotificationDraft } from "../../../shared/contract/notifications.ts"
import { QuestionDraft } from "../../../shared/contract/questions.ts"
import { type McpServerDeps, jsonResult, defineTool, type McpTool } from "./tool.ts"

export const createNotifyTool = (deps: McpServerDeps): McpTool =>
  defineTool({
    name: "notify",
    title: "Notify",
    description:
      "Tells the person whose computer this is something, as a notification: when long work is done, or needs them.",
    scopes: ["notify"],
    readOnly: false,
    input: z.object({
      title: z.string().meta({ description: "One line, 200 characters at most" }),
      description: z.string().optional().meta({ description: "More about it, 2,000 characters at most" }),
      type: z.enum(["info", "success", "error"]).optional(),
      deepLink: z
        .string()
        .optional()
        .meta({ description: "A route in the app that it opens, such as /work" }),
    }),
    async run(input, { caller }) {
      return jsonResult(await deps.notify(caller.userId, NotificationDraft.parse(input)))
    },
  })

/** Programs give up on a call that sends no progress. */
const progressSeconds = 5
/** Maximum time that a call is held open. A question asked through the other APIs may wait for a week. */
const maxSeconds = 3_600

export const createAskPersonTool = (deps: McpServerDeps): McpTool =>
  defineTool({
    name: "ask_person",
    title: "Ask the person",
    description:
      "Asks the person whose computer this is to choose, with buttons in a notification, and waits for the answer. For decisions that belong to the person, such as whether to continue. Without an answer in time, the result is `default`, or null.",
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
        .meta({ description: "The choice that is used if no one answers in time" }),
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
