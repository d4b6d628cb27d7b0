import type { AssistantEntry } from "../../../../../shared/contract/assistants.ts"

type Mentioned = Pick<AssistantEntry, "id" | "handle">

/** Returns the assistant whose `@handle` appears last in a question, as a separate word. */
export function mentionedAssistant<T extends Mentioned>(
  text: string,
  assistants: readonly T[],
): T | undefined {
  const handles = [...text.matchAll(/(?<![^\s(])@([a-z0-9]{1,120})(?![\p{L}\p{N}_@.-]*[\p{L}\p{N}_@-])/giu)]
  return handles
    .toReversed()
    .map(([, handle = ""]) => assistants.find((assistant) => assistant.handle === handle.toLowerCase()))
    .find((assistant) => assistant !== undefined)
}
