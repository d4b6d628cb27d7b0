import { useMemo, useRef, useState } from "react"
import { changesOf, type AssistantForm, type FormChanges } from "./form.ts"
import { formDrafts } from "./form-draft.ts"

interface AssistantFormOptions {
  userId: string
  /** Under which the browser keeps what isn't saved. */
  draftName: string
  /** As it is in the box, or what a new one begins with. */
  saved: AssistantForm
}

/** The editor's fields over what is saved. Every change is kept in the browser at once. */
export function useAssistantForm({ userId, draftName, saved }: AssistantFormOptions) {
  const drafts = useMemo(() => formDrafts(userId, draftName), [userId, draftName])
  const [restored, setRestored] = useState(() => drafts.read())
  const [changes, setChanges] = useState<FormChanges>(() => restored?.changes ?? {})
  const [kept, setKept] = useState(true)
  const latest = useRef(changes)

  function store(next: FormChanges) {
    latest.current = next
    setChanges(next)
    setKept(drafts.write(next))
  }

  const form = { ...saved, ...changes }
  return {
    form,
    changes,
    dirty: Object.keys(changes).length > 0,
    /** As of this very moment, also before the page is drawn again. */
    isDirty: () => Object.keys(latest.current).length > 0,
    /** The browser keeps what isn't saved. */
    kept,
    /** When changes that were brought back were made; undefined when none were. */
    restoredFrom: restored?.savedAt,
    change: (part: FormChanges) => store(changesOf(saved, { ...saved, ...latest.current, ...part })),
    /** Forgets what isn't saved, because it is saved now or isn't wanted; changes made since `upTo` stay. */
    clear(upTo: FormChanges = latest.current) {
      const later = Object.entries(latest.current).filter(
        ([field, value]) => upTo[field as keyof AssistantForm] !== value,
      )
      setRestored(undefined)
      store(Object.fromEntries(later))
    },
  }
}
