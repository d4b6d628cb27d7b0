import { t } from "i18next"
import { useSyncExternalStore } from "react"
import type { Undo } from "../../shared/contract/deletions.ts"
import { box, hasCode } from "../lib/box.ts"
import { navigate, navigateIfIdle, splitHash } from "../lib/navigation/hash-location.ts"
import { showError, showToast, type ToastAction } from "../lib/toasts.ts"

/** Creates a set of ids that components can subscribe to. */
export function createIdSet() {
  let ids: ReadonlySet<string> = new Set()
  const listeners = new Set<() => void>()

  function change(next: ReadonlySet<string>): void {
    ids = next
    for (const listener of listeners) listener()
  }

  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  return {
    has: (id: string) => ids.has(id),
    add: (id: string) => change(new Set([...ids, id])),
    delete: (id: string) => change(new Set([...ids].filter((other) => other !== id))),
    use: (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => ids),
  }
}

interface UndoableOptions<Item> {
  /** Key of the toast for these deletions. */
  key: string
  /** Returns the toast's text. The newest item is last. `detail` is an item's name, and is shown only for a single item. */
  describe(items: Item[]): { text: string; detail?: string }
  /** Deletes all given items in the box at once. */
  remove(...items: Item[]): Promise<{ undo: Undo }>
  /** Maximum number of items to delete at once. Default: one. */
  batchSize?: number
  /** Reloads what shows the items. */
  refresh(items: Item[]): Promise<unknown>
  /** An item's screen, which is left when the item is deleted, and the screen shown instead. */
  screen?: { of(id: string): string; instead: string }
}

/** How long the toast offers undo. The box could undo for longer. */
const shownMs = 12_000

const pathNow = (): string => splitHash(window.location.hash).path

/** Manages deletions of one kind. Recent deletions share one toast, and are undone together. */
export function createUndoable<Item extends { id: string }>(options: UndoableOptions<Item>) {
  const { key, describe, remove, batchSize = 1, refresh, screen } = options
  /** Items being deleted, so that lists can hide them without waiting for the box. */
  const leaving = createIdSet()
  let undoable: { items: Item[]; token: string }[] = []
  /** The address of the screen that was left. */
  let left: string | null = null

  /** Undoes all recent deletions. One failure doesn't prevent the others. */
  async function restore(): Promise<void> {
    const some = undoable
    const before = left
    const goBack = before === null ? undefined : navigateIfIdle()
    onHidden()
    const items = some.flatMap((deletion) => deletion.items)
    let failure: unknown
    for (const { token } of some)
      await box.deletions.undo({ body: { token } }).catch((error: unknown) => (failure = error))
    await refresh(items)
    if (failure !== undefined) throw failure
    if (before !== null && pathNow() === screen?.instead) goBack?.(before)
  }

  function leave(items: Item[]): void {
    if (!screen || !items.some(({ id }) => pathNow() === screen.of(id))) return
    left = window.location.hash.slice(1)
    navigate(screen.instead)
  }

  function onHidden(): void {
    undoable = []
    left = null
  }

  function offer(): void {
    const items = undoable.flatMap((deletion) => deletion.items)
    const { text, detail } = describe(items)
    const actions: ToastAction[] = [
      { label: t("common:undo"), shortcut: "undo", run: () => void restore().catch(showError) },
    ]
    showToast(text, "info", {
      ...(items.length === 1 && detail !== undefined && { detail }),
      key,
      shownMs,
      actions,
      onHidden,
    })
  }

  async function removeNow(items: Item[]): Promise<void> {
    const { undo } = await remove(...items)
    undoable.push({ items, token: undo.token })
    offer()
  }

  return {
    /**
     * Deletes items. If the screen of one is open, another is shown until it is restored. Items that no longer exist count as deleted. A
     * failure is reported once, and doesn't stop the other deletions.
     */
    async remove(...items: Item[]): Promise<void> {
      const going = items.filter(({ id }) => !leaving.has(id))
      if (going.length === 0) return
      leave(going)
      for (const { id } of going) leaving.add(id)
      let failure: unknown
      for (let from = 0; from < going.length; from += batchSize)
        await removeNow(going.slice(from, from + batchSize)).catch((error: unknown) => {
          if (!hasCode(error, "not_found")) failure = error
        })
      if (failure !== undefined) showError(failure)
      await refresh(going).catch(showError)
      for (const { id } of going) leaving.delete(id)
    },
    /** IDs of items that are hidden although lists may still contain them. */
    useLeaving: leaving.use,
  }
}
