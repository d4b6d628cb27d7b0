import { z } from "zod"
import { AssistantForm, type FormChanges } from "./form.ts"

/** Unsaved changes as stored in this browser. */
const StoredDraft = z.object({ changes: AssistantForm.partial(), savedAt: z.string() })

/** Starts with `draft:`, like everything that is deleted on sign-out. */
const storageKey = (userId: string, name: string) => `draft:assistant:${userId}:${name}`

export interface FormDrafts {
  read(): { changes: FormChanges; savedAt: string } | undefined
  /** Returns false if the browser has no room for the draft. Without changes, the draft is deleted. */
  write(changes: FormChanges): boolean
}

/** Stores unsaved changes so that they survive leaving the screen, a reload and a crash. */
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
        return false // browser storage is full or disabled
      }
    },
  }
}
