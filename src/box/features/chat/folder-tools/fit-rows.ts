import type { ChatEngine } from "../../../engines/engine.ts"
import { resultText } from "../tool-calls/engine-messages.ts"

/** Returns the maximum number of rows, from the first, whose result fits the token limit; all rows if they fit. */
export async function fitRows<Row>(
  { countTokens }: Pick<ChatEngine, "countTokens">,
  room: number,
  rows: readonly Row[],
  toResult: (rows: readonly Row[]) => unknown,
): Promise<readonly Row[]> {
  let fitting = rows
  while (fitting.length > 0) {
    const tokens = await countTokens(resultText(toResult(fitting)))
    if (tokens <= room) return fitting
    fitting = fitting.slice(0, Math.min(fitting.length - 1, Math.floor(fitting.length * (room / tokens))))
  }
  return fitting
}
