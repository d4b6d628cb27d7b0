import "../../core/without-network.ts"
import { connectToParent } from "../../core/parent.ts"
import type { JobMessage } from "../job-process.ts"
import { WrongExpression } from "./check-expression.ts"
import { evaluateExpression } from "./evaluate-expression.ts"

// Entry of the calculator's process: expressions are a model's, and some of them never end.

export interface Calculation {
  expression: string
}
export type CalculationAnswer = { value: string } | { wrong: string }

const parent = connectToParent<Calculation, JobMessage<CalculationAnswer>>()
parent.onMessage(({ expression }) => parent.send({ type: "answer", answer: answer(expression) }))
parent.send({ type: "ready" })

function answer(expression: string): CalculationAnswer {
  try {
    return { value: evaluateExpression(expression) }
  } catch (error) {
    if (error instanceof WrongExpression) return { wrong: error.message }
    throw error
  }
}
