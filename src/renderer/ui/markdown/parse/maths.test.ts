import { expect, test } from "vitest"
import { drawText } from "../testing/draw-text.tsx"
import { mayHaveMaths, unifyMaths } from "./maths.ts"

const render = (text: string) => drawText(text)
const formulas = (text: string) => render(text).match(/class="katex"/g)?.length ?? 0

test("reads every notation that models use for formulas", () => {
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

// Catches prices, shell variables and code that turn into formulas.
test("leaves dollars and code that aren't formulas unchanged", () => {
  for (const text of [
    "It costs $5, or $10 for two.",
    "Set $HOME and $PATH.",
    "`$x$` and `\\(x\\)`",
    "a $ b $ c",
  ])
    expect(unifyMaths(text), text).toBe(text)
  expect(formulas("```sh\necho $A $B $$x$$\n```")).toBe(0)
})

// Catches a broken formula that makes the whole answer fail.
test("shows text that TeX can't parse as it was written", () => {
  expect(render("Before $$\\frac{1$$ after")).toContain("after")
  expect(render("Before $$\\frac{1$$ after")).toContain("\\frac{1")
})

test("loads the formula renderer only for a text with signs of a formula", () => {
  expect(mayHaveMaths("Nothing here [1].")).toBe(false)
  expect(mayHaveMaths("\\(x\\)")).toBe(true)
})
