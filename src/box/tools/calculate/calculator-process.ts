import "../../core/children/without-network.ts"
import { Script } from "node:vm"
import { dropRights } from "../../core/children/sandbox/give-up-rights.ts"
import { connectToParent } from "../../core/children/parent.ts"
import type { JobMessage } from "../job-runner.ts"
import { WrongExpression, evaluateExpression } from "./evaluate-expression.ts"

// Entry point of the calculator's process. A model writes the expressions, and some of them never end.

export interface Calculation {
  expression: string
}
export type CalculationAnswer = { value: string } | { wrong: string }

/**
 * Fallback timeout: the parent normally ends the process before this. Without a parent nothing else could, because an endless expression
 * blocks all events.
 */
const timeoutMs = 4000

const parent = connectToParent<Calculation, JobMessage<CalculationAnswer>>()
const calculate = new Script("calculate()")
parent.onMessage(({ expression }) => {
  Object.assign(globalThis, { calculate: () => parent.send({ type: "answer", answer: answer(expression) }) })
  calculate.runInThisContext({ timeout: timeoutMs })
})
dropRights()
parent.send({ type: "ready" })

function answer(expression: string): CalculationAnswer {
  try {
    return { value: evaluateExpression(expression) }
  } catch (error) {
    if (error instanceof WrongExpression) return { wrong: error.message }
    throw error
  }
}
