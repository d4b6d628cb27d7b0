import { parseAnyBlock } from "./parse-maths.ts"
import type { Block } from "./parse-block.ts"

// Reads one piece at a time. The page ends the worker if an answer is late, and so knows which piece was too slow.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
self.addEventListener("message", ({ data }: MessageEvent<Block>) => self.postMessage(parseAnyBlock(data)))
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
self.postMessage("ready")
