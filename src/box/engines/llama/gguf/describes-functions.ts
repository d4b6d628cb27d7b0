import type { GgufHeader } from "./gguf-header.ts"

/** Whether a chat template of the model, or its separate template for tool calls, describes tools. */
export const describesFunctions = ({ metadata }: Pick<GgufHeader, "metadata">): boolean =>
  [...metadata].some(
    ([key, value]) =>
      key.startsWith("tokenizer.chat_template") && typeof value === "string" && /\btools\b/.test(value),
  )
