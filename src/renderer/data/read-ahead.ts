import { useEffect } from "react"
import type { AssistantEntry } from "../../shared/contract/assistants.ts"
import { box } from "../lib/box.ts"

/** Has the model read an assistant's instructions and tools while somebody thinks about what to ask. */
export function useReadAhead(assistant: AssistantEntry): void {
  useEffect(() => {
    // What isn't read ahead is read with the question, which also tells what is wrong.
    box.chat.prepare({ body: { assistantId: assistant.id } }).catch(() => undefined)
  }, [assistant])
}
