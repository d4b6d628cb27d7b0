import { useMemo, useRef, useState } from "react"
import { getChanges, type AssistantForm, type FormChanges } from "./form.ts"
import { formDrafts } from "./form-draft.ts"

interface AssistantFormOptions {
  userId: string
  /** Storage key for unsaved changes in the browser. */
  draftName: string
  /** The saved form, or the initial values of a new assistant. */
  saved: AssistantForm
}

/** The editor's fields on top of the saved values. Every change is stored in the browser immediately. */
export function useAssistantForm({ userId, draftName, saved }: AssistantFormOptions) {
  const drafts = useMemo(() => formDrafts(userId, draftName), [userId, draftName])
  const [restored, setRestored] = useState(() => drafts.read())
  const [changes, setChanges] = useState<FormChanges>(() => restored?.changes ?? {})
  const [kept, setIsDraftStored] = useState(true)
  const latest = useRef(changes)

  function store(next: FormChanges) {
    latest.current = next
    setChanges(next)
    setIsDraftStored(drafts.write(next))
  }

  const form = { ...saved, ...changes }
  return {
    form,
    changes,
    dirty: Object.keys(changes).length > 0,
    /** Reads the current state, even before the next render. */
    isDirty: () => Object.keys(latest.current).length > 0,
    /** Whether the browser has stored the unsaved changes. */
    kept,
    /** The time of the restored changes; undefined if none were restored. */
    restoredFrom: restored?.savedAt,
    change: (part: FormChanges) => store(getChanges(saved, { ...saved, ...latest.current, ...part })),
    /** Discards changes that were saved or aren't wanted. Changes made since `upTo` stay. */
    clear(upTo: FormChanges = latest.current) {
      const later = Object.entries(latest.current).filter(
        ([field, value]) => upTo[field as keyof AssistantForm] !== value,
      )
      setRestored(undefined)
      store(Object.fromEntries(later))
    },
  }
}
