import { flushSync } from "react-dom"

/** What drawing may take of a frame before the rest waits for the next one. Painting comes on top. */
const msPerFrame = 12

const waiting = new Set<() => void>()
let frame: number | undefined

/**
 * Has something drawn when it is its turn: as many parts of the page in each frame as there is time for, so that no single
 * task takes long, whatever draws. The returned function withdraws it.
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
    // Layout is part of what it takes.
    document.body.getBoundingClientRect()
    if (performance.now() >= end) break
  }
  frame = waiting.size > 0 ? requestAnimationFrame(drawWaiting) : undefined
}
