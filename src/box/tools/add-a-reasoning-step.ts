import { z } from "zod"
import { defineTool, type Tool } from "./tool.ts"

/** Gives a model room to plan. The answer shows the step, and nothing else happens. */
export function createAddAReasoningStep(): Tool {
  return defineTool({
    key: "addAReasoningStep",
    description:
      "Writes down one step of a plan before answering. Use it once or a few times for questions that need several steps.",
    effects: ["read"],
    result: { trusted: true, private: false },
    args: z.object({
      title: z.string().trim().min(1).max(200).meta({ description: "The step in a few words" }),
      content: z.string().trim().max(5000).default(""),
    }),
    run: () => Promise.resolve({ content: "Noted. Go on." }),
  })
}
