import { z } from "zod"
import { AssistantDraft, type Assistant } from "../../../shared/contract/assistants.ts"
import { coreTools } from "../../../shared/contract/tools.ts"

/** Maximum characters; most of them are the image. */
const maxLength = 2_000_000

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

/** Exports an assistant to a file, without folders, accounts and servers, which belong to its owner. */
export function writeAssistantFile(assistant: Assistant): string {
  const { name, description, instructions, icon, color, customImage, suggestions, permissionMode } = assistant
  const kept = { name, description, instructions, icon, color, customImage, suggestions, permissionMode }
  const file = { casella: "assistant", assistant: { ...kept, builtInTools: getCore(assistant.builtInTools) } }
  return `${JSON.stringify(file, null, 2)}\n`
}

/**
 * Reads an assistant from a file; null if the file isn't an assistant's. The file may come from outside, so the assistant uses none of the
 * user's folders, accounts and servers, isn't shared, has no image from the web, and never bypasses approvals.
 */
export function readAssistantFile(text: string): AssistantDraft | null {
  if (text.length > maxLength) return null
  const parsed = AssistantFile.safeParse(parseJson(text))
  if (!parsed.success) return null
  const { customImage, permissionMode, builtInTools, ...plain } = parsed.data.assistant
  return {
    ...plain,
    customImage: customImage?.startsWith("data:image/") === true ? customImage : null,
    permissionMode: permissionMode === "ask" ? "ask" : "auto",
    builtInTools: getCore(builtInTools),
  }
}

const getCore = (flags: Readonly<Record<string, boolean>>): Record<string, boolean> =>
  Object.fromEntries(Object.entries(flags).filter(([key, on]) => on && Object.hasOwn(coreTools, key)))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
