import { t } from "i18next"
import { useEffect, useEffectEvent, useLayoutEffect } from "react"

/**
 * All shortcuts of the page, for the overview and for `useShortcuts`. `mod` is ⌘ on a Mac and Ctrl elsewhere. Shortcuts of `lists` and most
 * of `writing` are handled by their components.
 */
export const shortcuts = {
  palette: { keys: "mod+k", group: "everywhere" },
  newChat: { keys: "mod+j", group: "everywhere" },
  notifications: { keys: "mod+i", group: "everywhere" },
  settings: { keys: "mod+,", group: "everywhere" },
  toggleSidebar: { keys: "mod+b", group: "everywhere" },
  searchChats: { keys: "/", group: "everywhere" },
  find: { keys: "mod+f", group: "everywhere" },
  overview: { keys: "?", group: "everywhere" },
  report: { keys: "F1", group: "everywhere" },
  save: { keys: "mod+s", group: "everywhere" },
  undo: { keys: "mod+z", group: "everywhere" },
  close: { keys: "Escape", group: "everywhere" },
  send: { keys: "Enter", group: "writing" },
  newLine: { keys: "shift+Enter", group: "writing" },
  chooseModel: { keys: "mod+;", group: "writing" },
  editLast: { keys: "ArrowUp", group: "writing" },
  stop: { keys: "Escape", group: "writing" },
  nextRow: { keys: "ArrowDown", group: "lists" },
  previousRow: { keys: "ArrowUp", group: "lists" },
  deleteRow: { keys: "Delete", group: "lists" },
  nextCitation: { keys: "j", group: "lists" },
  previousCitation: { keys: "k", group: "lists" },
} as const satisfies Record<string, { keys: string; group: string }>

export type ShortcutId = keyof typeof shortcuts
export type ShortcutGroup = (typeof shortcuts)[ShortcutId]["group"]

const isMac = globalThis.navigator?.platform.startsWith("Mac") ?? false

const symbols: Record<string, string> = {
  ...(isMac && { mod: "⌘", shift: "⇧" }),
  Escape: "Esc",
  ArrowDown: "↓",
  ArrowUp: "↑",
}

/** Keys that languages name differently. */
type NamedKey = "mod" | "shift" | "Enter" | "Delete"

/** A shortcut's keys in this computer's notation: "Ctrl", "K". */
export const shortcutKeys = (id: ShortcutId): string[] =>
  shortcuts[id].keys
    .split("+")
    .map(
      (key) =>
        symbols[key] ?? (key.length < 3 ? key.toUpperCase() : t(`frame:shortcuts.keys.${key as NamedKey}`)),
    )

/** A shortcut as a single text: "⌘K", "Ctrl K". */
export const shortcutName = (id: ShortcutId): string => shortcutKeys(id).join(isMac ? "" : " ")

type KeyPress = Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey">

/** Whether a key press is the shortcut. Shift is ignored if it is needed to type the character itself, as in "?". */
export function isShortcut(id: ShortcutId, event: KeyPress, mac = isMac): boolean {
  const keys = shortcuts[id].keys.split("+")
  const key = keys.at(-1) ?? ""
  const modified = mac ? event.metaKey : event.ctrlKey
  const otherwiseModified = (mac ? event.ctrlKey : event.metaKey) || event.altKey
  const shiftFits = event.shiftKey === keys.includes("shift") || /^[^\p{L}\p{N}]$/u.test(key)
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    modified === keys.includes("mod") &&
    !otherwiseModified &&
    shiftFits
  )
}

/** Whether the focused element accepts text. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select"))

/** Whether a field contains text, which the field's own keys change. */
const isWriting = (target: EventTarget | null): boolean =>
  isTyping(target) && !(target instanceof HTMLElement && "value" in target && target.value === "")

type Handlers = Partial<Record<ShortcutId, (() => void) | undefined>>

/** Calls the handler of a shortcut, unless an element closer to the focus has handled the key. */
export function useShortcuts(handlers: Handlers): void {
  useWindowKeys((event) => {
    if (document.querySelector("[data-modal], [role=menu]")) return // a modal window or a menu handles its keys itself
    for (const [id, handler] of Object.entries(handlers) as [ShortcutId, Handlers[ShortcutId]][]) {
      if (!handler || !isShortcut(id, event)) continue
      if (event.key.length === 1 && !shortcuts[id].keys.startsWith("mod") && isTyping(event.target)) continue
      if (id === "undo" && isWriting(event.target)) continue
      event.preventDefault()
      handler()
      return
    }
  })
}

/** Calls `cancel` on Escape, before any other handler, while requested content is still loading. */
export function useCancelLoading(waiting: boolean, cancel: () => void): void {
  const handle = useEffectEvent(cancel)
  useEffect(() => {
    if (!waiting) return
    const listener = (event: KeyboardEvent) => {
      if (!isShortcut("close", event) || event.isComposing) return
      event.preventDefault()
      event.stopPropagation()
      handle()
    }
    window.addEventListener("keydown", listener, { capture: true })
    return () => window.removeEventListener("keydown", listener, { capture: true })
  }, [waiting])
}

/** Calls `onKey` for keys that nothing else has handled. `onKey` calls `preventDefault` for the keys it handles. */
export function useWindowKeys(onKey: (event: KeyboardEvent) => void): void {
  const handle = useEffectEvent(onKey)
  // As soon as the page is drawn, because users press keys then.
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && !event.isComposing) handle(event)
    }
    window.addEventListener("keydown", listener)
    return () => window.removeEventListener("keydown", listener)
  }, [])
}
