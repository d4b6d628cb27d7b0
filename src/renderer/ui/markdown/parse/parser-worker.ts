import { parseAnyBlock } from "./parse-maths.ts"
import type { Block } from "./parse-block.ts"

// One piece at a time: who asks ends the worker when an answer is late, and knows that way which piece it was.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
self.addEventListener("message", ({ data }: MessageEvent<Block>) => self.postMessage(parseAnyBlock(data)))
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
self.postMessage("ready")
