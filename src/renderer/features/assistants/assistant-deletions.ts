import { t } from "i18next"
import { useSyncExternalStore } from "react"
import { deleteAssistant } from "../../data/assistants.ts"
import { describeError } from "../../lib/box.ts"
import { showToast } from "../../lib/toasts.ts"

const undoMs = 8000

/** Assistants on their way out: hidden at once, deleted when it is too late to undo. */
let leaving: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()
const timers = new Map<string, ReturnType<typeof setTimeout>>()

function change(edit: (next: Set<string>) => void): void {
  const next = new Set(leaving)
  edit(next)
  leaving = next
  for (const listener of listeners) listener()
}

/** Deletes an assistant unless somebody undoes it in the next seconds. */
export function deleteAssistantLater(id: string, name: string): void {
  if (leaving.has(id)) return
  change((next) => next.add(id))
  timers.set(
    id,
    setTimeout(() => void finish(id), undoMs),
  )
  showToast(t("assistants:deleted"), "info", {
    detail: name,
    key: `deleted:${id}`,
    shownMs: undoMs,
    actions: [{ label: t("assistants:undo"), run: () => undo(id) }],
  })
}

function undo(id: string): void {
  clearTimeout(timers.get(id))
  if (timers.delete(id)) change((next) => next.delete(id))
}

async function finish(id: string): Promise<void> {
  if (!timers.has(id)) return
  clearTimeout(timers.get(id))
  timers.delete(id)
  try {
    await deleteAssistant(id)
  } catch (error) {
    showToast(describeError(error), "error")
  }
  change((next) => next.delete(id))
}

// Whoever closes the page can't undo any more.
window.addEventListener("pagehide", () => {
  for (const id of timers.keys()) void finish(id)
})

/** Ids of assistants that are shown no more though they still exist. */
export const useLeavingAssistants = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => leaving,
  )
