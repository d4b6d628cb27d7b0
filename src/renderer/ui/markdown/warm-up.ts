import { parseBlock } from "./parse/parse-block.ts"

/** Something of each that answers are mostly made of. */
const sample =
  "## A\n\n**b** *c* `d` [e](https://example.com)\n\n- f\n\n| g |\n| - |\n| h |\n\n```ts\nconst i = 1\n```\n"

/** Reads a little, so that the first answer that is shown doesn't wait for the reader to be compiled. */
export const warmUp = (): void => void parseBlock({ text: sample, coloured: true })
