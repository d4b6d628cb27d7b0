import { t } from "i18next"
import { useSyncExternalStore } from "react"
import { showToast } from "./toasts.ts"
import { describeError } from "./box.ts"

interface DeletionsOptions<Item> {
  /** Of the toast that tells of them. */
  key: string
  /** What the toast says; the newest is the last. */
  tell: (items: Item[]) => { text: string; detail?: string }
  remove: (item: Item) => Promise<void>
  /** What else to do where they are brought back. */
  restored?: (items: Item[]) => void
}

const undoMs = 8000

/**
 * Deletions with a way back: what is deleted is hidden at once, and really deleted when its toast goes. All that can
 * still be brought back is told of in one toast, and comes back together.
 */
export function createDeletions<Item extends { id: string }>(options: DeletionsOptions<Item>) {
  const { key, tell, remove, restored } = options
  /** What isn't shown: `undoable`, `hidden`, and what is being deleted. */
  let leaving: ReadonlyMap<string, Item> = new Map()
  const undoable = new Map<string, Item>()
  const hidden = new Map<string, Item>()
  const listeners = new Set<() => void>()

  function change(edit: (next: Map<string, Item>) => void): void {
    const next = new Map(leaving)
    edit(next)
    leaving = next
    for (const listener of listeners) listener()
  }

  function undo(): void {
    change((next) => {
      for (const id of undoable.keys()) next.delete(id)
    })
    restored?.([...undoable.values()])
    undoable.clear()
  }

  function finish(): void {
    for (const item of undoable.values()) void carryOut(item)
    undoable.clear()
  }

  async function carryOut(item: Item): Promise<void> {
    try {
      await remove(item)
    } catch (error) {
      showToast(describeError(error), "error")
    }
    change((next) => next.delete(item.id))
  }

  async function deleteHidden(id: string): Promise<void> {
    const item = hidden.get(id)
    if (item && hidden.delete(id)) await carryOut(item)
  }

  // Whoever closes the page can't undo any more.
  window.addEventListener("pagehide", () => {
    finish()
    for (const id of hidden.keys()) void deleteHidden(id)
  })

  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  return {
    deleteLater(item: Item): void {
      if (leaving.has(item.id)) return
      undoable.set(item.id, item)
      change((next) => next.set(item.id, item))
      const { text, ...rest } = tell([...undoable.values()])
      const actions = [{ label: t("common:undo"), run: undo }]
      showToast(text, "info", { ...rest, key, shownMs: undoMs, actions, onGone: finish })
    },
    /** Shows it in no list until it is deleted, at the latest when the page is closed. */
    hide(item: Item): void {
      hidden.set(item.id, item)
      change((next) => next.set(item.id, item))
    },
    deleteHidden,
    /** By id what is shown no more though it still exists. */
    useLeaving: (): ReadonlyMap<string, Item> => useSyncExternalStore(subscribe, () => leaving),
  }
}
