import { z } from "zod"
import { AssistantForm, type FormChanges } from "./form.ts"

/** Changes that aren't saved, as this browser keeps them. */
const StoredDraft = z.object({ changes: AssistantForm.partial(), savedAt: z.string() })

/** Under `draft:` like everything that signing out forgets. */
const storageKey = (userId: string, name: string) => `draft:assistant:${userId}:${name}`

export interface FormDrafts {
  read(): { changes: FormChanges; savedAt: string } | undefined
  /** False when the browser has no room for it. No changes: the draft is forgotten. */
  write(changes: FormChanges): boolean
}

/** Keeps what was typed and isn't saved; it outlives a change of screen, a reload and a crash. */
export function formDrafts(userId: string, name: string): FormDrafts {
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
        return false // the browser's storage is full or switched off
      }
    },
  }
}
