import { all, create } from "mathjs"
import type { BigNumber, ConfigOptions, FactoryFunctionMap, MathJsInstance, MathNode } from "mathjs"
import { checkExpression, WrongExpression } from "./check-expression.ts"

/** Digits shown for results that aren't integers; calculations use 64. */
const shownDigits = 20
const maxResultLength = 4000

const exact = createMath({ number: "BigNumber", precision: 64 })
/** For functions that support only floating-point numbers. */
const floating = createMath({ number: "number" })

function createMath(config: ConfigOptions): MathJsInstance {
  const math = create(all as FactoryFunctionMap, config)
  math.createUnit({ mph: "1 mile/hour", kph: "1 km/hour", knot: "1.852 km/hour" })
  math.import({ ln: (value: number) => math.log(value) }, {})
  return math
}

/** Returns the value of an expression as text. Throws `WrongExpression`. It may never end, so run it in a process that can be killed. */
export function evaluateExpression(expression: string): string {
  const text = spellOut(expression)
  try {
    return evaluateWith(exact, text)
  } catch (error) {
    if (error instanceof WrongExpression) throw error
    try {
      return evaluateWith(floating, text)
    } catch {
      throw new WrongExpression(getReason(error))
    }
  }
}

function evaluateWith(math: MathJsInstance, text: string): string {
  const node: MathNode = math.parse(text)
  checkExpression(node, (name) => math.Unit.isValuelessUnit(name))
  // a map has no prototype chain, so names in the expression find only its own values
  const value: unknown = node.evaluate(new Map())
  const values = isResultSet(value) ? value.entries : [value]
  return values.map((each) => format(math, each)).join("\n")
}

const isResultSet = (value: unknown): value is { entries: unknown[] } =>
  typeof value === "object" && value !== null && "isResultSet" in value

function format(math: MathJsInstance, value: unknown): string {
  if (typeof value === "function") throw new WrongExpression("This is a function: call it with a value.")
  if (value === undefined || value === null) throw new WrongExpression("This has no value.")
  const text = math.format(value, (number: number | BigNumber) => formatNumber(math, number))
  return text.length > maxResultLength ? `${text.slice(0, maxResultLength)}… (cut)` : text
}

function formatNumber(math: MathJsInstance, value: number | BigNumber): string {
  const isExact = math.isBigNumber(value)
  const isWhole = isExact ? value.isInteger() && value.precision() < 64 : Number.isSafeInteger(value)
  if (isWhole) return math.format(value, { notation: "auto", lowerExp: -9, upperExp: 64 })
  return math.format(value, { precision: isExact ? shownDigits : 14, lowerExp: -9, upperExp: shownDigits })
}

/** Replaces symbols that people and models write with the calculator's spelling. */
function spellOut(expression: string): string {
  return expression
    .replace(/[×·∙⋅]/g, "*")
    .replace(/÷/g, "/")
    .replace(/[−–]/g, "-")
    .replace(/\*\*/g, "^")
    .replace(/²/g, "^2")
    .replace(/³/g, "^3")
    .replace(/π/g, "pi")
    .replace(/√\s*(?=\()/g, "sqrt")
    .replace(/°\s*([CF])\b/g, " deg$1")
    .replace(/°/g, " deg")
    .replace(/%\s*of\b/g, "% *")
    .replace(/≤/g, "<=")
    .replace(/≥/g, ">=")
}

function getReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return `This can't be calculated: ${message.slice(0, 300)}`
}
