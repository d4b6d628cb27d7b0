import { useEffect } from "react"
import { readDraft, writeDraft } from "../../lib/remembered.ts"
import { navigate } from "../../lib/navigation/hash-location.ts"
import { routes } from "../../lib/navigation/routes.ts"

/** Puts text from a link into the next new chat, below any draft, and never sends it. */
export function PrefilledChat({ text }: { text: string }) {
  useEffect(() => {
    const begun = readDraft("new-chat")
    writeDraft("new-chat", begun.trim() === "" ? text : `${begun}\n\n${text}`)
    navigate(routes.newChat, { replace: true })
  }, [text])
  return null
}
