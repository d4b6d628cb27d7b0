import type { LlamaContextSequence, Token } from "node-llama-cpp"
import type { ThreadChoice } from "./threads/thread-choice.ts"

/** How long one step may take: it bounds how long a stop, or the next token of another chat, has to wait. */
const stepMs = 150
const smallestStep = 32
const largestStep = 512
/**
 * llama.cpp attends to what stands before in tiles of so many tokens; fewer at once are taken one by one, which costs three
 * times as much for each. So a step is a multiple of it, unless that takes four times as long as a step should.
 */
const tile = 64
const mostTimes = 4

/** Remembers how fast this model evaluates prompts on this machine, so that steps take about `stepMs`. */
export interface PrefillPace {
  step: number
}

export function startingPace(): PrefillPace {
  return { step: tile }
}

/**
 * Evaluates a prompt except its last token, in steps, and keeps what the sequence already holds of it. Returns
 * false when it was aborted; the steps done so far stay evaluated.
 */
export async function prefill(
  sequence: LlamaContextSequence,
  prompt: Token[],
  { pace, threads }: { pace: PrefillPace; threads: Pick<ThreadChoice, "readStep"> },
  signal: AbortSignal,
  onStep: () => void,
): Promise<boolean> {
  const wanted = prompt.slice(0, -1)
  await sequence.adaptStateToTokens(wanted, false)
  let position = sequence.nextTokenIndex
  while (position < wanted.length) {
    if (signal.aborted) return false
    const step = wanted.slice(position, position + stepOf(wanted.length - position, pace.step))
    const elapsed = await threads.readStep(() => sequence.evaluateWithoutGeneratingNewTokens(step))
    position += step.length
    if (step.length === pace.step) pace.step = nextStep(pace.step, elapsed)
    onStep()
  }
  return !signal.aborted
}

/** What is left over, too little for a tile but worth half of one, goes along with the step before it. */
export function stepOf(left: number, step: number): number {
  const over = left - step
  return step < tile || over < tile / 2 || over >= tile ? Math.min(left, step) : left
}

export function nextStep(step: number, elapsedMs: number): number {
  const ideal = (step * stepMs) / Math.max(elapsedMs, 1)
  // At most doubled or halved: one slow step, because another program was busy, must not decide alone.
  const bounded = Math.min(step * 2, Math.max(step / 2, ideal))
  if (ideal < tile / mostTimes && bounded <= smallestStep) return smallestStep
  return Math.min(largestStep, Math.max(tile, Math.round(bounded / tile) * tile))
}
