import { afterEach, expect, test } from "vitest"
import { dismissToast, showToast, toastStore } from "./toasts.ts"

const shown = () => toastStore.get().map(({ text }) => text)
const undo = [{ label: "Undo", run: () => undefined }]

afterEach(() => {
  for (const { id } of toastStore.get()) dismissToast(id)
})

// Catches an undo button that is pushed off the screen by other toasts.
test("drops the oldest toasts, but none with actions", () => {
  showToast("deleted", "info", { actions: undo })
  for (const text of ["one", "two", "three", "four"]) showToast(text)
  expect(shown()).toEqual(["deleted", "three", "four"])
})

// Catches deletions that are executed while their undo is still shown, or never.
test("calls onHidden when a toast goes, but not when a newer one replaces it", () => {
  const gone: string[] = []
  const show = (text: string) =>
    showToast(text, "info", { key: "same", actions: undo, onHidden: () => gone.push(text) })
  show("first")
  show("second")
  expect([shown(), gone]).toEqual([["second"], []])
  dismissToast(toastStore.get()[0]?.id ?? -1)
  expect([shown(), gone]).toEqual([[], ["second"]])
})
