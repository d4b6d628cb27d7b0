import { z } from "zod"
import { AssistantDraft, type Assistant } from "../../../shared/contract/assistants.ts"
import { coreTools } from "../../../shared/contract/tools.ts"

/** Characters: a picture is most of it. */
const longest = 2_000_000

const { name, description, instructions, icon, color, suggestions } = AssistantDraft.shape
const AssistantFile = z.object({
  casella: z.literal("assistant"),
  assistant: z.object({
    name,
    description,
    instructions,
    icon,
    color,
    suggestions,
    customImage: z.string().nullish(),
    permissionMode: z.string().optional(),
    builtInTools: z.record(z.string(), z.boolean()).default({}),
  }),
})

/** An assistant to be taken along or handed on: without folders, accounts and servers, which are somebody's own. */
export function writeAssistantFile(assistant: Assistant): string {
  const { name, description, instructions, icon, color, customImage, suggestions, permissionMode } = assistant
  const kept = { name, description, instructions, icon, color, customImage, suggestions, permissionMode }
  const file = { casella: "assistant", assistant: { ...kept, builtInTools: coreOf(assistant.builtInTools) } }
  return `${JSON.stringify(file, null, 2)}\n`
}

/**
 * What a file makes; null for one that isn't an assistant's. It may be a stranger's: it uses none of one's folders, accounts
 * and servers, isn't shared, has no picture of the web, and never waives a question.
 */
export function readAssistantFile(text: string): AssistantDraft | null {
  if (text.length > longest) return null
  const parsed = AssistantFile.safeParse(parseJson(text))
  if (!parsed.success) return null
  const { customImage, permissionMode, builtInTools, ...plain } = parsed.data.assistant
  return {
    ...plain,
    customImage: customImage?.startsWith("data:image/") === true ? customImage : null,
    permissionMode: permissionMode === "ask" ? "ask" : "auto",
    builtInTools: coreOf(builtInTools),
  }
}

const coreOf = (flags: Readonly<Record<string, boolean>>): Record<string, boolean> =>
  Object.fromEntries(Object.entries(flags).filter(([key, on]) => on && Object.hasOwn(coreTools, key)))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
