import { t } from "i18next"
import type { Undo } from "../../shared/contract/deletions.ts"
import { box, describeError, hasCode } from "../lib/box.ts"
import { createIdSet } from "../lib/id-set.ts"
import { navigate, splitHash } from "../lib/places/hash-location.ts"
import { showToast, type ToastAction } from "../lib/toasts.ts"

interface UndoableOptions<Item> {
  /** Of the toast that tells of them. */
  key: string
  /** What the toast says; the newest is the last. The detail is the name of one, and isn't said of several. */
  tell(items: Item[]): { text: string; detail?: string }
  /** Deletes in the box, in one go what is given at once. */
  remove(...items: Item[]): Promise<{ undo: Undo }>
  /** How many it deletes at once; one by one unless given. */
  most?: number
  /** Has what shows them read anew. */
  refresh(items: Item[]): Promise<unknown>
  /** The screen of one, which is left when it is deleted, and what is shown instead. */
  screen?: { of(id: string): string; instead: string }
}

/** How long the toast offers to bring them back; the box could for longer. */
const shownMs = 12_000

const pathNow = (): string => splitHash(window.location.hash).path

/** Deletions of one kind. All that was deleted a moment ago is told of in one toast, and comes back together. */
export function createUndoable<Item extends { id: string }>(options: UndoableOptions<Item>) {
  const { key, tell, remove, most = 1, refresh, screen } = options
  /** What is being deleted: lists needn't wait for the box. */
  const leaving = createIdSet()
  let undoable: { items: Item[]; token: string }[] = []
  /** The address that was left for what is shown instead. */
  let left: string | null = null
  const fail = (error: unknown) => showToast(describeError(error), "error")

  /** What can't come back keeps none of the others. */
  async function bringBack(): Promise<void> {
    const some = undoable
    const before = left
    onGone()
    const items = some.flatMap((deletion) => deletion.items)
    let failure: unknown
    for (const { token } of some)
      await box.deletions.undo({ body: { token } }).catch((error: unknown) => (failure = error))
    await refresh(items)
    if (failure !== undefined) throw failure
    if (before !== null && pathNow() === screen?.instead) navigate(before)
  }

  function leave(items: Item[]): void {
    if (!screen || !items.some(({ id }) => pathNow() === screen.of(id))) return
    left = window.location.hash.slice(1)
    navigate(screen.instead)
  }

  function onGone(): void {
    undoable = []
    left = null
  }

  function offer(): void {
    const items = undoable.flatMap((deletion) => deletion.items)
    const { text, detail } = tell(items)
    const actions: ToastAction[] = [
      { label: t("common:undo"), shortcut: "undo", run: () => void bringBack().catch(fail) },
    ]
    showToast(text, "info", {
      ...(items.length === 1 && detail !== undefined && { detail }),
      key,
      shownMs,
      actions,
      onGone,
    })
  }

  async function removeNow(items: Item[]): Promise<void> {
    const { undo } = await remove(...items)
    undoable.push({ items, token: undo.token })
    offer()
  }

  return {
    /** Who looks at one of them is shown something else, until it is back. One that is gone already is as good as deleted. What fails is told once, and keeps none of the others. */
    async remove(...items: Item[]): Promise<void> {
      const going = items.filter(({ id }) => !leaving.has(id))
      if (going.length === 0) return
      leave(going)
      for (const { id } of going) leaving.add(id)
      let failure: unknown
      for (let from = 0; from < going.length; from += most)
        await removeNow(going.slice(from, from + most)).catch((error: unknown) => {
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
