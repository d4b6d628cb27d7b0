import { isAllThere } from "../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../shared/contract/files.ts"
import type { ParseContext } from "../parser.ts"

/** Maximum parts that a note names one by one. */
const maxNamed = 20

/** Notes the parts of a document that can't be read: the first by name, the others by their number. */
export class LeftOutParts {
  readonly #context: Pick<ParseContext, "note">
  readonly #remarks = new Set<string>()
  #count = 0

  constructor(context: Pick<ParseContext, "note">) {
    this.#context = context
  }

  /** Also takes remarks about parts that are read, such as a doubtful encoding, and notes each kind of them once. */
  add(fileReason: FileReason): void {
    const { code } = fileReason
    if (isAllThere([fileReason])) {
      if (!this.#remarks.has(code)) this.#context.note(fileReason)
      this.#remarks.add(code)
    } else if (++this.#count <= maxNamed) this.#context.note(fileReason)
  }

  /** Notes how many parts weren't named, if any. */
  finish(describe: (count: number) => FileReason): void {
    if (this.#count > maxNamed) this.#context.note(describe(this.#count - maxNamed))
  }
}

/** Processor time after which the parts that remain are left out, so that those already read are kept. The process ends after a minute. */
const maxProcessorMs = 40_000

/** Returns a function that tells whether the process has worked on a document for too long to start another part of it. */
export function createTimeCheck(): () => boolean {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 > maxProcessorMs
  }
}
