import { useEffect } from "react"
import { box } from "../lib/box.ts"

/** Has the model read what a chat with an assistant, or about folders, begins with while somebody thinks about what to ask. */
export function useReadAhead(assistantId: string | null, folderIds: readonly string[]): void {
  const [folderId] = folderIds // which ones, and how many, isn't said at the beginning
  useEffect(() => {
    if (assistantId === null && folderId === undefined) return
    const vector = folderId === undefined ? [] : [folderId]
    // What isn't read ahead is read with the question, which also tells what is wrong.
    box.chat.prepare({ body: { assistantId, vector } }).catch(() => undefined)
  }, [assistantId, folderId])
}
