import { afterAll, expect, it } from "vitest"
import { spawnNodeChild } from "../core/children/child.ts"
import { createCalculate } from "./calculate.ts"
import { testContext } from "./testing/tool-context.ts"

const calculate = createCalculate(spawnNodeChild)
afterAll(() => calculate[Symbol.asyncDispose]())

const value = async (expression: string) => (await calculate.run({ expression }, testContext())).content

it.each([
  ["0.1 + 0.2", "0.3"],
  ["2^100", "1267650600228229401496703205376"],
  ["99999999999999999999 * 99999999999999999999", "9999999999999999999800000000000000000001"],
  ["1/3", "0.33333333333333333333"],
  ["sqrt(2)^2", "2"],
  ["12.5% of 80", "10"],
  ["3 × 4 ÷ 2 − 1", "5"],
  ["2**10", "1024"],
  ["sin(30°)", "0.5"],
  ["ln(e)", "1"],
  ["5 inch to cm", "12.7 cm"],
  ["100 km/h to mph", "62.137119223733396962 mph"],
  ["20 °C to °F", "68 degF"],
  ["2 hours + 30 minutes to minutes", "150 minutes"],
  ["1 GiB to MB", "1073.741824 MB"],
  ["x = 3; y = 4; sqrt(x^2 + y^2)", "5"],
  ["f(n) = n^2 + 1; f(9)", "82"],
  ["det([1, 2; 3, 4])", "-2"],
  ["inv([1, 2; 3, 4])", "[[-2, 1], [1.5, -0.5]]"],
  ["[1, 2; 3, 4][2, 1]", "3"],
  ["sqrt(-4)", "2i"],
  ["mean(1, 2, 3, 4)", "2.5"],
  ["combinations(52, 5)", "2598960"],
  ["30!", "265252859812191058636308480000000"],
  ["gamma(0.5)", "1.7724538509055"],
  ["erf(0)", "0"],
  ["5 > 3", "true"],
  ["1e-12 * 2", "2e-12"],
])("calculates %s", async (expression, expected) => {
  expect(await value(expression)).toBe(expected)
})

// Catches an expression that reaches JavaScript, changes the calculator, or uses unknown names.
it.each([
  'evaluate("1")',
  'parse("1+1")',
  "import({a: 1})",
  "config({})",
  'createUnit("foo")',
  'simplify("x")',
  'derivative("x^2", "x")',
  'cos.constructor("return process")()',
  "[].constructor",
  '{}["constructor"]',
  "{a: 1}.a",
  '"abc"',
  "constructor",
  "__proto__ = 1",
  "toString = 3",
  "sqrt = 3",
  "f(constructor) = 1",
  'format(1, {notation: "fixed"})',
  'reviver("a", 1)',
  "typed",
  "help(sqrt)",
  "chain(3)",
  "compile(1)",
  "parser()",
  "Parser",
  "expression",
  "docs",
  "x + 1",
  "2 +",
  "f(x) = x",
  "5 m + 3 s",
])("refuses %s with a reason", async (expression) => {
  await expect(value(expression)).rejects.toMatchObject({ code: "validation" })
})

// Catches an expression that blocks the box, or after which the calculator no longer works.
it(
  "stops endless or memory-hungry expressions, and still works afterwards",
  { timeout: 300_000 },
  async () => {
    const endless = ["10000000!", "f(x) = f(x + 1) + f(x + 2); f(1)", "zeros(100000, 100000)", "sum(1:1e12)"]
    for (const expression of endless) {
      await expect(value(expression), expression).rejects.toMatchObject({
        code: expect.stringMatching(/unprocessable|validation/) as string,
      })
    }
    expect(await value("1 + 1")).toBe("2")
  },
)

it("stops the calculation when the answer is stopped", async () => {
  const stop = new AbortController()
  const endless = calculate.run({ expression: "10000000!" }, testContext({ signal: stop.signal }))
  stop.abort(new Error("stopped"))
  await expect(endless).rejects.toThrow("stopped")
})

it("limits the number of waiting calculations", async () => {
  const all = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => value(`${n} + 1`)))
  const failed = all.filter(({ status }) => status === "rejected")
  expect(failed).toHaveLength(7)
  expect(failed[0]).toMatchObject({ reason: { code: "unavailable" } })
})
