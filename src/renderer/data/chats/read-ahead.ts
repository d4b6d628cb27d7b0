import { useEffect } from "react"
import { box } from "../../lib/box.ts"

interface Wanted {
  assistantId: string | null
  folderIds: readonly string[]
  /** Keys of the tools that a chat without an assistant may use. */
  tools?: readonly string[]
}

/**
 * Makes the model process the start of the prompt while the user is still thinking of a question. Applies to chats with an assistant,
 * folders or tools.
 */
export function useReadAhead({ assistantId, folderIds, tools = [] }: Wanted): void {
  const [folderId] = folderIds // the start of the prompt doesn't depend on which folders, or how many
  const keys = JSON.stringify(tools)
  useEffect(() => {
    const builtInTools = Object.fromEntries((JSON.parse(keys) as string[]).map((key) => [key, true]))
    if (assistantId === null && folderId === undefined && keys === "[]") return
    const vector = folderId === undefined ? [] : [folderId]
    // On failure, the start is processed with the question, which also reports the error.
    box.chat.prepare({ body: { assistantId, vector, builtInTools } }).catch(() => undefined)
  }, [assistantId, folderId, keys])
}
