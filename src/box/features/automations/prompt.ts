import type { Cause } from "../../../shared/contract/automations.ts"

/** Values for filling in a run's prompt. */
export interface Filling {
  cause: Cause
  /** The file that triggered the run. */
  file: { id: string; name: string } | null
  /** The text posted to the webhook. */
  input: string | null
  now: number
}

/** Text of an answer that has nothing to report. */
const nothing = "NOTHING TO TELL"

/** Returns the prompt with its values filled in, and the texts in it that others wrote: file names and posted text. */
export function fillPrompt(
  prompt: string,
  { cause, file, input, now }: Filling,
  notifiesResultsOnly: boolean,
): { content: string; quoted: string[] } {
  const at = cause.kind === "schedule" ? cause.at : new Date(now).toISOString()
  const values: Record<string, string> = {
    "file.name": file?.name ?? "",
    "file.id": file?.id ?? "",
    date: at.slice(0, 10),
    input: input ?? "",
  }
  const content = prompt.replace(
    /\{\{\s*(file\.name|file\.id|date|input)\s*\}\}/g,
    (_all, name: string) => values[name] ?? "",
  )
  const quoted = [values["file.name"] ?? "", values["input"] ?? ""].filter(
    (text) => text !== "" && content.includes(text),
  )
  const told = notifiesResultsOnly
    ? `${content}\n\nIf there is nothing to tell, answer only: ${nothing}`
    : content
  return { content: told, quoted }
}

export const isEmptyResult = (answer: string): boolean => {
  const trimmed = answer.trim()
  return (
    trimmed === "" ||
    trimmed
      .replace(/[^\p{L} ]/gu, "")
      .trim()
      .toUpperCase() === nothing
  )
}
