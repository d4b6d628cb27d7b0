import { z } from "zod"
import { NotificationDraft } from "../../../shared/contract/notifications.ts"
import type { McpServerDeps } from "./ports.ts"
import { jsonResult, defineTool, type McpTool } from "./tool.ts"

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
