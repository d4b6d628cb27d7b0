import { useEffect, useRef, useState } from "react"
import { useDraft } from "../../../lib/remembered.ts"

/** The question being written. */
export interface Writing {
  text: string
  /** The message being edited; undefined for a new question. */
  editing: string | undefined
  /** Changes each time the composer should receive the focus. */
  focusKey: string
  setText: (text: string) => void
  focus: () => void
  /** Puts the start of a question into the composer, and focuses it. */
  begin: (words: string) => void
  /** Starts editing a question. */
  edit: (messageId: string, words: string) => void
  /** Empties the composer. */
  clear: () => void
  /** Restores a question that couldn't be sent, unless another is being written. */
  giveBack: (question: string) => void
}

/** The state of a question being written, stored under the name `draft`. */
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
