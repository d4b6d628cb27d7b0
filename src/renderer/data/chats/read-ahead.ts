import { useEffect } from "react"
import { box } from "../../lib/box.ts"

interface Wanted {
  assistantId: string | null
  folderIds: readonly string[]
  /** Keys of those that a chat without an assistant may use. */
  tools?: readonly string[]
}

/**
 * Has the model read what a chat with an assistant, about folders, or with tools begins with while somebody thinks about
 * what to ask.
 */
export function useReadAhead({ assistantId, folderIds, tools = [] }: Wanted): void {
  const [folderId] = folderIds // which ones, and how many, isn't said at the beginning
  const keys = JSON.stringify(tools)
  useEffect(() => {
    const builtInTools = Object.fromEntries((JSON.parse(keys) as string[]).map((key) => [key, true]))
    if (assistantId === null && folderId === undefined && keys === "[]") return
    const vector = folderId === undefined ? [] : [folderId]
    // What isn't read ahead is read with the question, which also tells what is wrong.
    box.chat.prepare({ body: { assistantId, vector, builtInTools } }).catch(() => undefined)
  }, [assistantId, folderId, keys])
}
