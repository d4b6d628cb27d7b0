import { expect, test } from "vitest"
import { acceleratorName, getAccelerator } from "./desktop-options.ts"

const press = (code: string, ...held: ("ctrlKey" | "altKey" | "shiftKey" | "metaKey")[]) => ({
  code,
  ctrlKey: held.includes("ctrlKey"),
  altKey: held.includes("altKey"),
  shiftKey: held.includes("shiftKey"),
  metaKey: held.includes("metaKey"),
})

test.each([
  [press("Space", "altKey", "shiftKey"), "Alt+Shift+Space"],
  [press("KeyK", "ctrlKey", "altKey"), "Ctrl+Alt+K"],
  [press("Digit1", "metaKey"), "Super+1"],
  [press("ArrowUp", "ctrlKey"), "Ctrl+Up"],
  [press("F9"), "F9"],
])("converts %j to %s", (keys, accelerator) => {
  expect(getAccelerator(keys, false)).toBe(accelerator)
})

// Catches a shortcut that takes a letter away from every program on the computer.
test.each([
  press("KeyA"),
  press("KeyA", "shiftKey"),
  press("Space"),
  press("ControlLeft", "ctrlKey"),
  press("Tab", "altKey"),
])("rejects %j as a shortcut", (keys) => {
  expect(getAccelerator(keys, false)).toBeNull()
})

test("names keys as on this computer", () => {
  expect(getAccelerator(press("KeyK", "metaKey"), true)).toBe("Cmd+K")
  expect(acceleratorName("Cmd+Shift+K", true)).toBe("⌘⇧K")
  expect(acceleratorName("Alt+Shift+Space", false)).toBe("Alt Shift Space")
})
