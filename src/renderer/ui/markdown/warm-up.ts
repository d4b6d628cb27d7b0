import { parseBlock } from "./parse/parse-block.ts"

/** A sample of the elements that answers use most. */
const sample =
  "## A\n\n**b** *c* `d` [e](https://example.com)\n\n- f\n\n| g |\n| - |\n| h |\n\n```ts\nconst i = 1\n```\n"

/** Parses a sample, so that the first answer doesn't wait for the parser to be compiled. */
export const warmUp = (): void => void parseBlock({ text: sample, coloured: true })
