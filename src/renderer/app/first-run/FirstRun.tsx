import { useEffect, useState, type ReactNode } from "react"
import { useConversations } from "../../data/chats/conversations.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { later } from "../../lib/later.ts"
import { endFirstRun, useFirstRunDone } from "./first-run-done.ts"

const FirstRunScreen = later(async () => (await import("./FirstRunScreen.tsx")).FirstRunScreen)

interface FirstRunProps {
  /** Whether the address names what the chat is with; a user who follows such a link already has something to start with. */
  isNamed: boolean
  children: ReactNode
}

/** Shows the first-run screen once, while there are neither folders nor chats. Otherwise shows its children. */
export function FirstRun({ isNamed, children }: FirstRunProps) {
  const isDone = useFirstRunDone()
  return isDone || isNamed ? children : <Unasked>{children}</Unasked>
}

function Unasked({ children }: { children: ReactNode }) {
  const folders = useFolders()
  const chats = useConversations("")
  const [folderId, setFolderId] = useState<string>()
  const isEmpty = folders.data?.length === 0 && chats.data?.pages[0]?.chats.length === 0
  const isUsed = folderId === undefined && folders.isSuccess && chats.isSuccess && !isEmpty
  useEffect(() => {
    if (isUsed) endFirstRun()
  }, [isUsed])

  if (folders.isPending || chats.isPending) return null
  if (!isEmpty && folderId === undefined) return children
  return <FirstRunScreen folderId={folderId} onFolder={setFolderId} />
}
