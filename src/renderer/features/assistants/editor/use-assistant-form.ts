import { useMutation } from "@tanstack/react-query"
import { useMemo, useRef, useState, useEffect } from "react"
import { z } from "zod"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { createAssistant, updateAssistant, useTools } from "../../../data/assistants.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import type { Revealed } from "../fields/MoreFields.tsx"
import {
  AssistantForm,
  type FormChanges,
  getChanges,
  toDraft,
  toPatch,
  firstIssue,
  formIssues,
  findFormIssues,
  type IssueField,
} from "./form.ts"

/** Unsaved changes as stored in this browser. */
const StoredDraft = z.object({ changes: AssistantForm.partial(), savedAt: z.string() })

/** Starts with `draft:`, like everything that is deleted on sign-out. */
const storageKey = (userId: string, name: string) => `draft:assistant:${userId}:${name}`

interface FormDrafts {
  read(): { changes: FormChanges; savedAt: string } | undefined
  /** Returns false if the browser has no room for the draft. Without changes, the draft is deleted. */
  write(changes: FormChanges): boolean
}

/** Stores unsaved changes so that they survive leaving the screen, a reload and a crash. */
function formDrafts(userId: string, name: string): FormDrafts {
  const key = storageKey(userId, name)
  return {
    read() {
      try {
        const text = localStorage.getItem(key)
        if (text === null) return undefined
        const { changes, savedAt } = StoredDraft.parse(JSON.parse(text))
        return { changes: changes as FormChanges, savedAt } // JSON has no undefined
      } catch {
        return undefined // written by another version
      }
    },
    write(changes) {
      try {
        if (Object.keys(changes).length === 0) localStorage.removeItem(key)
        else localStorage.setItem(key, JSON.stringify({ changes, savedAt: new Date().toISOString() }))
        return true
      } catch {
        return false // browser storage is full or disabled
      }
    },
  }
}

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

interface SaveOptions {
  /** Undefined for a new assistant. */
  assistant: Assistant | undefined
  saved: AssistantForm
  form: AssistantForm
  changes: FormChanges
  onSaved: (sent: FormChanges) => void
  /** Called when the box refuses the save. */
  onRefused: () => void
  /** Called before a field with an issue is shown. */
  onReveal: () => void
}

/** Saves the editor's changes, and shows what is wrong with them. */
export function useSaveAssistant({
  assistant,
  saved,
  form,
  changes,
  onSaved,
  onRefused,
  onReveal,
}: SaveOptions) {
  const { data: tools } = useTools()
  const isUnconfirmed = assistant?.writtenByScopedKey === true
  /** Set after the first attempt to save; from then on, the form shows what is missing. */
  const [checked, setChecked] = useState(false)
  const [revealed, setRevealed] = useState<Revealed>()
  const own = findFormIssues(form)
  const missing = firstIssue(own)

  // Whatever hides the field is opened first.
  useEffect(() => bringIntoView(revealed?.field), [revealed])

  function reveal(field: IssueField | undefined) {
    if (field === undefined) return
    onReveal()
    setRevealed({ field })
  }

  const save = useMutation({
    mutationFn: async (sent: FormChanges): Promise<Assistant> => {
      const known = tools && new Set(tools.map(({ key }) => key))
      if (!assistant) return createAssistant(toDraft({ ...saved, ...sent }, known))
      // Sending the instructions confirms what a key with limited rights wrote.
      const { instructions } = form
      return updateAssistant(assistant.id, toPatch(isUnconfirmed ? { instructions, ...sent } : sent, known))
    },
    onSuccess: (_, sent) => onSaved(sent),
    onError: (error) => {
      onRefused()
      reveal(firstIssue(formIssues(error)))
    },
  })

  /** Saves, then calls `then`. If something is missing, shows that instead. */
  function submit(then?: (assistant: Assistant) => void) {
    setChecked(true)
    if (missing !== undefined) return reveal(missing)
    if (save.isPending) return
    if (assistant && !isUnconfirmed && Object.keys(changes).length === 0) return then?.(assistant)
    save.mutate(changes, {
      onSuccess(result) {
        if (then) then(result)
        else if (!assistant) navigate(routes.assistant(result.id), { replace: true })
      },
    })
  }

  const issues = { ...formIssues(save.error), ...(checked ? own : {}) }
  return { save, missing, issues, revealed, submit }
}

/** Waits for the next frame, when the field is rendered and a closing dialog has returned the focus. */
function bringIntoView(field: IssueField | undefined): void {
  if (field === undefined) return
  requestAnimationFrame(() => {
    const section = document.querySelector(`[data-field~="${field}"]`)
    section?.scrollIntoView({ block: "center" })
    section?.querySelector<HTMLElement>("input, textarea, select")?.focus({ preventScroll: true })
  })
}
