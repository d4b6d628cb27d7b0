import { useState } from "react"
import { v7 as newId } from "uuid"
import { navigate, splitHash } from "../../lib/hash-location.ts"
import { routes } from "../../lib/routes.ts"
import { ChatPage } from "./ChatPage.tsx"

/** A conversation that begins with its first question. */
export function NewChat({ folderId }: { folderId: string | undefined }) {
  const [chatId] = useState(() => newId())
  return (
    <ChatPage
      chatId={chatId}
      isNew
      {...(folderId === undefined ? {} : { initialFolderIds: [folderId] })}
      onAsked={() => {
        const stillHere = splitHash(window.location.hash).path === routes.newChat
        if (stillHere) navigate(routes.chat(chatId), { replace: true })
      }}
    />
  )
}
