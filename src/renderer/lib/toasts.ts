import { describeError } from "./box.ts"
import type { ShortcutId } from "./keys/shortcut.ts"

export interface ToastAction {
  label: string
  /** A shortcut for the action while the toast is shown, because Tab takes many steps to get there. */
  shortcut?: ShortcutId
  run: () => void
}

export interface Toast {
  id: number
  text: string
  kind: "info" | "error"
  /** Text below the first line. */
  detail?: string
  /** Only the newest toast with the same key is shown. */
  key?: string
  /** Called when the text is clicked, which also closes the toast. */
  onOpen?: () => void
  actions?: ToastAction[]
  /** An error that the program didn't cause, so there is nothing to report. */
  isExternalFault?: boolean
  /** Called when it is no longer shown and no newer toast has replaced it. */
  onHidden?: () => void
}

export interface ToastOptions extends Pick<
  Toast,
  "detail" | "key" | "onOpen" | "actions" | "isExternalFault" | "onHidden"
> {
  shownMs?: number
}

const maxCount = 3
const usualMs = 6000

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()
const timers = new Map<number, { timer: ReturnType<typeof setTimeout>; shownMs: number }>()

function change(next: readonly Toast[]): void {
  const gone = toasts.filter((toast) => !next.includes(toast))
  for (const { id } of gone) stopTimer(id)
  toasts = next
  for (const listener of listeners) listener()
  for (const { key, onHidden } of gone)
    if (key === undefined || !next.some((toast) => toast.key === key)) onHidden?.()
}

function stopTimer(id: number): void {
  clearTimeout(timers.get(id)?.timer)
  timers.delete(id)
}

function startTimer(id: number, shownMs: number): void {
  timers.set(id, { timer: setTimeout(() => dismissToast(id), shownMs), shownMs })
}

/** Drops the oldest toasts beyond the limit, except those with actions. */
function withinLimit(shown: Toast[]): Toast[] {
  let surplus = shown.length - maxCount
  return shown.filter(({ actions = [] }) => actions.length > 0 || surplus-- <= 0)
}

/** Shows a short message in the corner of the window. The oldest toasts without actions make room for new ones. */
export function showToast(
  text: string,
  kind: Toast["kind"] = "info",
  { shownMs = usualMs, ...rest }: ToastOptions = {},
): void {
  const toast = { id: nextId++, text, kind, ...rest }
  const others = rest.key === undefined ? toasts : toasts.filter(({ key }) => key !== rest.key)
  change(withinLimit([...others, toast]))
  startTimer(toast.id, shownMs)
}

/** Shows why something failed. */
export const showError = (error: unknown): void => showToast(describeError(error), "error")

export function dismissToast(id: number): void {
  change(toasts.filter((toast) => toast.id !== id))
}

/** Removes the toasts with this key. */
export function dismissToasts(key: string): void {
  change(toasts.filter((toast) => toast.key !== key))
}

/** Keeps a toast while the user is on it. */
export const holdToast = (id: number): void => clearTimeout(timers.get(id)?.timer)

/** Restarts a held toast's usual timer. */
export function releaseToast(id: number): void {
  const held = timers.get(id)
  if (!held) return
  clearTimeout(held.timer)
  startTimer(id, held.shownMs)
}

export const toastStore = {
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  get: () => toasts,
}
