import { expect, test } from "vitest"
import { getChanges, toDraft, emptyForm, toPatch, type AssistantForm } from "./form.ts"

const form: AssistantForm = {
  ...emptyForm,
  name: " Lawyer ",
  suggestions: [
    { key: "a", label: "", prompt: "Read this contract.\nList what is unusual." },
    { key: "b", label: "Summarise", prompt: "" },
    { key: "c", label: " ", prompt: "" },
  ],
  tools: ["plot", "calculate", "mcp_gone"],
}

// Catches an editor that asks to save unchanged fields, or that overwrites fields saved in another window.
test("treats only real differences as changes", () => {
  const moved = { ...form, tools: ["mcp_gone", "calculate", "plot"] }
  const rekeyed = form.suggestions.map((row, index) => ({ ...row, key: String(index) }))
  expect(getChanges(form, { ...moved, suggestions: rekeyed })).toEqual({})
  expect(getChanges(form, { ...form, handle: "law" })).toEqual({ handle: "law" })
  const swapped = form.suggestions.toReversed()
  expect(getChanges(form, { ...form, suggestions: swapped })).toEqual({ suggestions: swapped })
})

// Catches a save that the box refuses because of a half-filled row or a removed server.
test("sends only what the box accepts", () => {
  expect(toDraft(form, new Set(["plot", "calculate"]))).toEqual({
    name: "Lawyer",
    suggestions: [
      { label: "Read this contract.", prompt: "Read this contract.\nList what is unusual." },
      { label: "Summarise", prompt: "Summarise" },
    ],
    builtInTools: { plot: true, calculate: true },
  })
  expect(toPatch({ handle: "", description: "" }, undefined)).toEqual({ handle: null, description: "" })
})
