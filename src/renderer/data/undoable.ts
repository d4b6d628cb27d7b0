import { t } from "i18next"
import type { Undo } from "../../shared/contract/deletions.ts"
import { box, describeError, hasCode } from "../lib/box.ts"
import { createIdSet } from "../lib/id-set.ts"
import { showToast, type ToastAction } from "../lib/toasts.ts"

interface UndoableOptions<Item> {
  /** Of the toast that tells of them. */
  key: string
  /** What the toast says; the newest is the last. */
  tell(items: Item[]): { text: string; detail?: string }
  /** Deletes in the box. */
  remove(item: Item): Promise<{ undo: Undo }>
  /** Has what shows them read anew. */
  refresh(items: Item[]): Promise<unknown>
  /** What else to do where they are back. */
  restored?(items: Item[]): void
}

/** How long the toast offers to bring them back; the box could for longer. */
const shownMs = 12_000

/** Deletions of one kind. All that was deleted a moment ago is told of in one toast, and comes back together. */
export function createUndoable<Item extends { id: string }>(options: UndoableOptions<Item>) {
  const { key, tell, remove, refresh, restored } = options
  /** What is being deleted: lists needn't wait for the box. */
  const leaving = createIdSet()
  let undoable: { item: Item; token: string }[] = []
  const fail = (error: unknown) => showToast(describeError(error), "error")

  async function bringBack(): Promise<void> {
    const some = undoable
    undoable = []
    const items = some.map(({ item }) => item)
    try {
      for (const { token } of some) await box.deletions.undo({ body: { token } })
    } finally {
      await refresh(items)
    }
    restored?.(items)
  }

  function offer(): void {
    const { text, ...rest } = tell(undoable.map(({ item }) => item))
    const actions: ToastAction[] = [
      { label: t("common:undo"), shortcut: "undo", run: () => void bringBack().catch(fail) },
    ]
    showToast(text, "info", { ...rest, key, shownMs, actions, onGone: () => (undoable = []) })
  }

  async function removeNow(item: Item): Promise<void> {
    const { undo } = await remove(item)
    undoable.push({ item, token: undo.token })
    offer()
  }

  return {
    /** One that is gone already is as good as deleted. What fails is told once, and keeps none of the others. */
    async remove(...items: Item[]): Promise<void> {
      const going = items.filter(({ id }) => !leaving.has(id))
      if (going.length === 0) return
      for (const { id } of going) leaving.add(id)
      let failure: unknown
      for (const item of going)
        await removeNow(item).catch((error: unknown) => {
          if (!hasCode(error, "not_found")) failure = error
        })
      if (failure !== undefined) fail(failure)
      await refresh(going).catch(fail)
      for (const { id } of going) leaving.delete(id)
    },
    /** Ids of what is shown no more though it may still be in lists. */
    useLeaving: leaving.use,
  }
}
