import type { Block } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"

/** Yields the top of a message: its subject as heading, and the header lines that have content. */
export function* mailHead(
  subject: string,
  lines: readonly (readonly [label: string, value: string])[],
): Generator<Block, void, undefined> {
  const outline = new FlowOutline()
  outline.heading(0, subject)
  outline.paragraph(
    lines
      .filter(([, value]) => value)
      .map(([label, value]) => `${label}: ${value}`)
      .join("\n"),
  )
  yield* outline.take()
}

/** Leaves out addresses in Exchange's own directory, which mean nothing to people. */
export function person(name: string, address: string): string {
  if (address === "" || address.startsWith("/") || address === name) return name
  return name === "" ? address : `${name} <${address}>`
}

/** Formats a date as displayed at the top of a message, in UTC. */
export const formatMailDate = (date: Date): string => date.toISOString().slice(0, 16).replace("T", " ")
