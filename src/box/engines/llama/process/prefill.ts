import type { LlamaContextSequence, Token } from "node-llama-cpp"

/** How long one step may take: it bounds how long a stop, or the next token of another chat, has to wait. */
const stepMs = 150
const smallestStep = 32
const largestStep = 512

/** Remembers how fast this model evaluates prompts on this machine, so that steps take about `stepMs`. */
export interface PrefillPace {
  step: number
}

export function startingPace(): PrefillPace {
  return { step: 64 }
}

/**
 * Evaluates a prompt except its last token, in steps, and keeps what the sequence already holds of it. Returns
 * false when it was aborted; the steps done so far stay evaluated.
 */
export async function prefill(
  sequence: LlamaContextSequence,
  prompt: Token[],
  pace: PrefillPace,
  signal: AbortSignal,
  onStep: () => void,
): Promise<boolean> {
  const wanted = prompt.slice(0, -1)
  await sequence.adaptStateToTokens(wanted, false)
  let position = sequence.nextTokenIndex
  while (position < wanted.length) {
    if (signal.aborted) return false
    const step = wanted.slice(position, position + pace.step)
    const started = performance.now()
    await sequence.evaluateWithoutGeneratingNewTokens(step)
    const elapsed = performance.now() - started
    position += step.length
    if (step.length === pace.step) pace.step = nextStep(pace.step, elapsed)
    onStep()
  }
  return !signal.aborted
}

function nextStep(step: number, elapsedMs: number): number {
  const ideal = (step * stepMs) / Math.max(elapsedMs, 1)
  // At most doubled or halved: one slow step, because another program was busy, must not decide alone.
  const bounded = Math.min(step * 2, Math.max(step / 2, ideal))
  return Math.min(largestStep, Math.max(smallestStep, Math.round(bounded / smallestStep) * smallestStep))
}
