import { expect, test } from "vitest"
import { drawText } from "../testing/draw-text.tsx"
import { mayHoldMaths, unifyMaths } from "./maths.ts"

const render = (text: string) => drawText(text)
const formulas = (text: string) => render(text).match(/class="katex"/g)?.length ?? 0

test("every way in which models write formulas is read", () => {
  expect(formulas("Euler: $e^{i\\pi} = -1$.")).toBe(1)
  expect(formulas("Euler: \\(e^{i\\pi} = -1\\), and $$a+b$$ too.")).toBe(2)
  expect(formulas("```math\nx^2\n```")).toBe(1)
  for (const text of [
    "\\[\nx = 1\n\\]",
    "\\[x = 1\\]",
    "$$x = 1$$",
    "$$\nx = 1\n$$",
    "- So:\n\n  \\[\n  x = 1\n  \\]",
  ])
    expect(render(text), text).toContain("katex-display")
})

// Would catch prices, variables of shells and code that turn into formulas.
test("dollars and code that are no formulas stay what they are", () => {
  for (const text of [
    "It costs $5, or $10 for two.",
    "Set $HOME and $PATH.",
    "`$x$` and `\\(x\\)`",
    "a $ b $ c",
  ])
    expect(unifyMaths(text), text).toBe(text)
  expect(formulas("```sh\necho $A $B $$x$$\n```")).toBe(0)
})

// Would catch a broken formula that takes the answer with it.
test("what TeX doesn't understand is shown as it was written", () => {
  expect(render("Before $$\\frac{1$$ after")).toContain("after")
  expect(render("Before $$\\frac{1$$ after")).toContain("\\frac{1")
})

test("only a text with signs of a formula loads what draws them", () => {
  expect(mayHoldMaths("Nothing here [1].")).toBe(false)
  expect(mayHoldMaths("\\(x\\)")).toBe(true)
})
