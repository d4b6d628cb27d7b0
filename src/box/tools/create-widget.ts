import { z } from "zod"
import { maxWidgetLength } from "../../shared/widget-document.ts"
import { defineTool, type Tool } from "./tool.ts"

/** Adds interactive HTML to the answer. The page shows it as described in `shared/widget-document.ts`. */
export function createWidget(): Tool {
  return defineTool({
    key: "createWidget",
    description:
      "Shows a small interactive page in the answer: HTML with its styles and scripts inline. It has no network, no storage, " +
      "no frames and no eval, so everything it needs, data too, must be in the HTML. Pictures only as data: addresses.",
    effects: ["exec"],
    result: { trusted: true, private: false },
    args: z.object({
      title: z.string().trim().min(1).max(200),
      html: z.string().trim().min(1).max(maxWidgetLength),
    }),
    run: ({ title, html }) =>
      Promise.resolve({
        content: `The user sees the widget "${title}".`,
        parts: [{ type: "widget", title, html }],
      }),
  })
}
