import type { Source } from "../../../../shared/contract/chat.ts"

/** A source of an answer, from `lease.pdf` by default. */
export const testSource = (citation: number, given: Partial<Source> = {}): Source => ({
  citation,
  url: "",
  id: `p${citation}`,
  fileId: "f",
  fileName: "lease.pdf",
  vectorId: "v",
  relativePath: "v/lease.pdf",
  text: "",
  location: {},
  score: 1,
  rank: {},
  ...given,
})
