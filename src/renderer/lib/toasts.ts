import type { ShortcutId } from "./keys/shortcut.ts"

export interface ToastAction {
  label: string
  /** Does the same while the toast is shown: by Tab alone it is far. */
  shortcut?: ShortcutId
  run: () => void
}

export interface Toast {
  id: number
  text: string
  kind: "info" | "error"
  /** A second line. */
  detail?: string
  /** Of toasts with the same key only the newest is shown. */
  key?: string
  /** What a click on the text does, besides closing it. */
  onOpen?: () => void
  actions?: ToastAction[]
  /** An error that the program isn't to blame for: there is nothing to report. */
  faultElsewhere?: boolean
  /** It isn't shown any more, and no newer one has taken its place. */
  onGone?: () => void
}

export interface ToastOptions extends Pick<
  Toast,
  "detail" | "key" | "onOpen" | "actions" | "faultElsewhere" | "onGone"
> {
  shownMs?: number
}

const longest = 3
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
  for (const { key, onGone } of gone)
    if (key === undefined || !next.some((toast) => toast.key === key)) onGone?.()
}

function stopTimer(id: number): void {
  clearTimeout(timers.get(id)?.timer)
  timers.delete(id)
}

function startTimer(id: number, shownMs: number): void {
  timers.set(id, { timer: setTimeout(() => dismissToast(id), shownMs), shownMs })
}

/** Drops the oldest beyond the limit, but none that somebody may still want to act on. */
function withinLimit(shown: Toast[]): Toast[] {
  let surplus = shown.length - longest
  return shown.filter(({ actions = [] }) => actions.length > 0 || surplus-- <= 0)
}

/** Says something briefly at the window's corner; the oldest that only tell something make room for new ones. */
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

export function dismissToast(id: number): void {
  change(toasts.filter((toast) => toast.id !== id))
}

/** Takes away the toasts with this key. */
export function dismissToasts(key: string): void {
  change(toasts.filter((toast) => toast.key !== key))
}

/** Keeps a toast while someone is at it. */
export const holdToast = (id: number): void => clearTimeout(timers.get(id)?.timer)

/** Lets a held toast go after its usual time. */
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
