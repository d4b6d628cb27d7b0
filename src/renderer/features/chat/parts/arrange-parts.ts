import type { Coverage, MessagePart, Source } from "../../../../shared/contract/chat.ts"

type Part<Type extends MessagePart["type"]> = Extract<MessagePart, { type: Type }>

/** A tool call with its result. No result means that it is running, waiting or interrupted. */
export interface CallStep {
  type: "call"
  call: Part<"tool-call">
  result: Part<"tool-result"> | undefined
  /** Whether it delegated a task to an assistant that waits for approval. */
  waits?: boolean
}

/** A step that a model took before its answer. */
export type Step = Part<"reasoning"> | CallStep

export type Section =
  | Part<"text" | "notice" | "error" | "widget" | "chart">
  | { type: "steps"; steps: Step[] }
  | { type: "files"; files: Part<"file">[] }

interface Arranged {
  sections: Section[]
  sources: Source[]
  /** How much of each file was read; undefined if nothing was read whole. */
  coverage: Coverage | undefined
  /** Whether the answer names files that were still being read at the time. */
  lacksFiles: boolean
}

/**
 * Arranges an answer's parts for display: sources and coverage separate, interrupted text joined, calls with their results, and steps
 * grouped.
 */
export function arrangeParts(parts: MessagePart[]): Arranged {
  const sections: Section[] = []
  const sources: Source[] = []
  let coverage: Coverage | undefined
  const lacksFiles = parts.some((part) => part.type === "notice" && part.files !== undefined)
  const results = new Map(
    parts.flatMap((part) => (part.type === "tool-result" ? [[part.toolCallId, part]] : [])),
  )

  function addStep(step: Step): void {
    const last = sections.at(-1)
    if (last?.type === "steps") last.steps.push(step)
    else sections.push({ type: "steps", steps: [step] })
  }

  for (const part of parts) {
    const last = sections.at(-1)
    if (part.type === "source") sources.push(part)
    else if (part.type === "coverage") coverage = part
    else if (part.type === "reasoning") addStep(part)
    else if (part.type === "tool-call")
      addStep({ type: "call", call: part, result: results.get(part.toolCallId) })
    else if (part.type === "tool-result") continue
    else if (part.type === "text" && last?.type === "text")
      sections[sections.length - 1] = { type: "text", text: last.text + part.text }
    else if (part.type === "text" && part.text.trim() === "" && last?.type === "steps") continue
    else if (part.type === "file" && last?.type === "files") last.files.push(part)
    else if (part.type === "file") sections.push({ type: "files", files: [part] })
    else sections.push(part)
  }
  return { sections, sources: sources.sort((a, b) => a.citation - b.citation), coverage, lacksFiles }
}

/** Whether the end of an unfinished answer already shows activity. */
export function isAtWork(sections: Section[]): boolean {
  const last = sections.at(-1)
  if (last?.type === "text") return true
  const step = last?.type === "steps" ? last.steps.at(-1) : undefined
  return step !== undefined && (step.type === "reasoning" || step.result === undefined)
}

/** Whether the answer is paused: its calls wait for approval, or it was interrupted. */
export const hasOpenCalls = (parts: MessagePart[]): boolean => {
  const answered = new Set(parts.map((part) => part.type === "tool-result" && part.toolCallId))
  return parts.some((part) => part.type === "tool-call" && !answered.has(part.toolCallId))
}

/** Whether the call didn't run because the user denied it, which isn't a failure. */
export const isDenied = ({ result }: CallStep): boolean => result?.deniedByUser === true

/** Returns a call's error in the box's words, or undefined if there was none. */
export function getFailure({ result }: CallStep): string | undefined {
  if (result?.deniedByUser) return undefined
  const value = result?.result
  if (typeof value !== "object" || value === null || !("error" in value)) return undefined
  // A code interpreter error next to printed output is a result, not a failure.
  return Object.keys(value).length === 1 && typeof value.error === "string" ? value.error : undefined
}
