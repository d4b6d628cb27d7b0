import type { LlamaContextSequence, Token } from "node-llama-cpp"
import type { ThreadChoice } from "./threads/thread-choice.ts"

/** Intended duration of one step. It limits how long a stop, or the next token of another chat, has to wait. */
const stepMs = 150
const smallestStep = 32
const largestStep = 512
/**
 * llama.cpp attends to earlier tokens in tiles of this size. Smaller steps are processed token by token, at three times the cost each, so a
 * step is a multiple of a tile. The exception is a tile that takes more than four times the intended step time.
 */
const tile = 64
const maxTimes = 4

/** Remembers how fast this model evaluates prompts on this computer, so that steps take about `stepMs`. */
export interface PrefillPace {
  step: number
}

export function startingPace(): PrefillPace {
  return { step: tile }
}

/**
 * Evaluates a prompt except its last token, in steps, and reuses the tokens that the sequence already holds. Returns false if it was
 * aborted; the completed steps stay evaluated.
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
    const step = wanted.slice(position, position + getStep(wanted.length - position, pace.step))
    const elapsed = await threads.readStep(() => sequence.evaluateWithoutGeneratingNewTokens(step))
    position += step.length
    if (step.length === pace.step) pace.step = nextStep(pace.step, elapsed)
    onStep()
  }
  return !signal.aborted
}

/** Tokens left over that fill at least half a tile, but not a whole one, join the previous step. */
export function getStep(left: number, step: number): number {
  const over = left - step
  return step < tile || over < tile / 2 || over >= tile ? Math.min(left, step) : left
}

export function nextStep(step: number, elapsedMs: number): number {
  const ideal = (step * stepMs) / Math.max(elapsedMs, 1)
  // The step at most doubles or halves, so that one slow step, caused by another program, doesn't decide alone.
  const bounded = Math.min(step * 2, Math.max(step / 2, ideal))
  if (ideal < tile / maxTimes && bounded <= smallestStep) return smallestStep
  return Math.min(largestStep, Math.max(tile, Math.round(bounded / tile) * tile))
}
