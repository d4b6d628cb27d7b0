import { flushSync } from "react-dom"

/** Maximum rendering time per frame; the rest waits for the next one. Painting takes additional time. */
const msPerFrame = 12

const waiting = new Set<() => void>()
let frame: number | undefined

/**
 * Schedules rendering work. Each frame renders as many parts of the page as there is time for, so that no task takes long. The returned
 * function withdraws the work.
 */
export function takeTurn(draw: () => void): () => void {
  waiting.add(draw)
  frame ??= requestAnimationFrame(drawWaiting)
  return () => waiting.delete(draw)
}

function drawWaiting(): void {
  const end = performance.now() + msPerFrame
  for (const draw of waiting) {
    waiting.delete(draw)
    flushSync(draw)
    // Layout is part of the cost.
    document.body.getBoundingClientRect()
    if (performance.now() >= end) break
  }
  frame = waiting.size > 0 ? requestAnimationFrame(drawWaiting) : undefined
}
