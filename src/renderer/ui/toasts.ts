export interface Toast {
  id: number
  text: string
  kind: "info" | "error"
}

const longest = 3
const shownMs = 6000

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Says something briefly at the window's corner; the oldest make room for new ones. */
export function showToast(text: string, kind: Toast["kind"] = "info"): void {
  const toast = { id: nextId++, text, kind }
  change([...toasts, toast].slice(-longest))
  setTimeout(() => dismissToast(toast.id), shownMs)
}

export function dismissToast(id: number): void {
  change(toasts.filter((toast) => toast.id !== id))
}

export const toastStore = {
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  get: () => toasts,
}
