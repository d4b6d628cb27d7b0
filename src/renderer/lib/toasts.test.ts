import { afterEach, expect, test } from "vitest"
import { dismissToast, showToast, toastStore } from "./toasts.ts"

const shown = () => toastStore.get().map(({ text }) => text)
const undo = [{ label: "Undo", run: () => undefined }]

afterEach(() => {
  for (const { id } of toastStore.get()) dismissToast(id)
})

// Would catch a way back that is pushed off the screen by other news.
test("the oldest make room, but none that can be acted on", () => {
  showToast("deleted", "info", { actions: undo })
  for (const text of ["one", "two", "three", "four"]) showToast(text)
  expect(shown()).toEqual(["deleted", "three", "four"])
})

// Would catch deletions that are carried out while their Undo is still there, or never.
test("a toast tells when it is gone, but not when a newer one takes its place", () => {
  const gone: string[] = []
  const tell = (text: string) =>
    showToast(text, "info", { key: "same", actions: undo, onGone: () => gone.push(text) })
  tell("first")
  tell("second")
  expect([shown(), gone]).toEqual([["second"], []])
  dismissToast(toastStore.get()[0]?.id ?? -1)
  expect([shown(), gone]).toEqual([[], ["second"]])
})
