import { useEffect, useRef, useState } from "react"
import { useDraft } from "../../../lib/draft.ts"

/** What is being written. */
export interface Writing {
  text: string
  /** The message that is asked differently; undefined for a new question. */
  editing: string | undefined
  /** Another one each time that the composer is to take the focus. */
  focusKey: string
  setText: (text: string) => void
  focus: () => void
  /** Puts a beginning into the composer, which takes the focus. */
  begin: (words: string) => void
  /** Starts to ask a question differently. */
  edit: (messageId: string, words: string) => void
  /** Empties the composer. */
  clear: () => void
  /** Puts a question back that couldn't be asked, unless another is being written. */
  giveBack: (question: string) => void
}

/** A question while it is written; `draft` is the name that it is kept under. */
export function useWriting(draft: string): Writing {
  const [text, setText] = useDraft(draft)
  const [editing, setEditing] = useState<string>()
  const [focused, setFocused] = useState(0)
  const latestText = useRef(text)
  useEffect(() => {
    latestText.current = text
  })

  const focus = () => setFocused(focused + 1)
  return {
    text,
    editing,
    focusKey: `${editing ?? ""} ${focused}`,
    setText,
    focus,
    begin(words) {
      setText(words)
      focus()
    },
    edit(messageId, words) {
      setEditing(messageId)
      setText(words)
    },
    clear() {
      setEditing(undefined)
      setText("")
    },
    giveBack(question) {
      if (latestText.current === "") setText(question)
    },
  }
}
