import { expect, test } from "vitest"
import { isShortcut, shortcuts, type ShortcutId } from "./shortcut.ts"

const press = (key: string, held: string[] = []) => ({
  key,
  metaKey: held.includes("meta"),
  ctrlKey: held.includes("ctrl"),
  altKey: held.includes("alt"),
  shiftKey: held.includes("shift"),
})

// Catches a shortcut that takes keys of the browser or the system, such as Ctrl+Shift+K, AltGr+B or Ctrl+?
test.each<[ShortcutId, ReturnType<typeof press>, boolean]>([
  ["palette", press("k", ["ctrl"]), true],
  ["palette", press("K", ["ctrl"]), true], // caps lock
  ["palette", press("k", ["ctrl", "shift"]), false],
  ["palette", press("k", ["ctrl", "alt"]), false],
  ["palette", press("k", ["ctrl", "meta"]), false],
  ["palette", press("k"), false],
  ["overview", press("?", ["shift"]), true],
  ["overview", press("?"), true], // on keyboards that have a separate key for it
  ["overview", press("?", ["ctrl", "shift"]), false],
  ["searchChats", press("/", ["shift"]), true], // on Italian keyboards "/" is Shift+7
  ["newLine", press("Enter", ["shift"]), true],
  ["send", press("Enter", ["shift"]), false],
])("matches %s with %j: %s", (id, event, expected) => {
  expect(isShortcut(id, event, false)).toBe(expected)
})

test("uses ⌘ as the modifier on a Mac", () => {
  expect(isShortcut("palette", press("k", ["meta"]), true)).toBe(true)
  expect(isShortcut("palette", press("k", ["ctrl"]), true)).toBe(false)
})

// Catches two actions on the same key.
test("assigns no keys twice within a group", () => {
  for (const group of ["everywhere", "writing", "lists"]) {
    const keys = Object.values(shortcuts).flatMap((shortcut) =>
      shortcut.group === group ? [shortcut.keys] : [],
    )
    expect(new Set(keys).size).toBe(keys.length)
  }
})
