import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { Sentence } from "../../shared/sentences/sentence.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { permissionArguments, type SpawnChild } from "../core/children/child.ts"
import type { Calculation, CalculationAnswer } from "./calculate/calculator-process.ts"
import { ProcessEnded, TookTooLong, createJobRunner } from "./job-runner.ts"
import { defineTool, type Tool } from "./tool.ts"

const limits = {
  startMs: 60_000,
  jobMs: 3000,
  slots: 1,
  maxWaiting: 32,
  maxWaitingEach: 32,
  idleMs: 300_000,
}
const heapMegabytes = 256

const answer: z.ZodType<CalculationAnswer> = z.union([
  z.object({ value: z.string() }),
  z.object({ wrong: z.string() }),
])

/** Calculates arithmetic, units and matrices in a process without rights, which is ended if an expression takes too long. */
export function createCalculate(spawn: SpawnChild): Tool & AsyncDisposable {
  const calculator = createJobRunner<Calculation, CalculationAnswer>({
    ...limits,
    processes: "kept",
    answer,
    spawn,
    child: () => ({
      entry: "calculator",
      env: {},
      execArgv: [...permissionArguments(), `--max-old-space-size=${heapMegabytes}`],
    }),
  })
  const tool = defineTool({
    key: "calculate",
    description:
      "Calculates exactly: arithmetic, powers, roots, logarithms, trigonometry, statistics, matrices, complex numbers " +
      "and units. Use it for every calculation instead of doing it yourself. " +
      'Examples: "12.5% * 80", "5 inch to cm", "sqrt(3^2 + 4^2)", "mean(3, 5, 10)", "inv([1, 2; 3, 4])".',
    effects: ["read"],
    result: { trusted: true, private: false },
    args: z.object({
      expression: z
        .string()
        .trim()
        .min(1)
        .max(2000)
        .meta({ description: "Statements separated by ; may set variables" }),
    }),
    async run({ expression }, context) {
      const answer = await calculator.run(() => ({ expression }), context).catch(explain)
      if ("wrong" in answer) throw new AppError("validation", Sentence.asIs(answer.wrong))
      return { content: answer.value }
    },
  })
  return Object.assign(tool, { [Symbol.asyncDispose]: () => calculator[Symbol.asyncDispose]() })
}

function explain(error: unknown): never {
  if (error instanceof TookTooLong || error instanceof ProcessEnded) {
    throw new AppError("unprocessable", sentence("tools.too_much_to_calculate"))
  }
  throw error
}
