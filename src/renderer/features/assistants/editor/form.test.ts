import { expect, test } from "vitest"
import { changesOf, draftOf, emptyForm, patchOf, type AssistantForm } from "./form.ts"

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

// Would catch: an editor that asks to save what nobody changed, or overwrites fields that another window saved.
test("only what says something else counts as changed", () => {
  const moved = { ...form, tools: ["mcp_gone", "calculate", "plot"] }
  const rekeyed = form.suggestions.map((row, index) => ({ ...row, key: String(index) }))
  expect(changesOf(form, { ...moved, suggestions: rekeyed })).toEqual({})
  expect(changesOf(form, { ...form, handle: "law" })).toEqual({ handle: "law" })
  const swapped = form.suggestions.toReversed()
  expect(changesOf(form, { ...form, suggestions: swapped })).toEqual({ suggestions: swapped })
})

// Would catch: a save that the box refuses for a row that is half filled in or a server that was removed.
test("what is sent is what the box takes", () => {
  expect(draftOf(form, new Set(["plot", "calculate"]))).toEqual({
    name: "Lawyer",
    suggestions: [
      { label: "Read this contract.", prompt: "Read this contract.\nList what is unusual." },
      { label: "Summarise", prompt: "Summarise" },
    ],
    builtInTools: { plot: true, calculate: true },
  })
  expect(patchOf({ handle: "", description: "" }, undefined)).toEqual({ handle: null, description: "" })
})
