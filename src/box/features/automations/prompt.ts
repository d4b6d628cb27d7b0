import type { Cause } from "../../../shared/contract/automations.ts"

/** What a run's prompt is filled with. */
export interface Filling {
  cause: Cause
  /** Of a run on a file. */
  file: { id: string; name: string } | null
  /** What was posted to its hook. */
  input: string | null
  now: number
}

/** What an answer says that has nothing to tell. */
const nothing = "NOTHING TO TELL"

/** The prompt with its values, and the texts of others that stand in it now: how files are called, and what was posted. */
export function fillPrompt(
  prompt: string,
  { cause, file, input, now }: Filling,
  tellsResultsOnly: boolean,
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
  const told = tellsResultsOnly
    ? `${content}\n\nIf there is nothing to tell, answer only: ${nothing}`
    : content
  return { content: told, quoted }
}

export const saysNothing = (answer: string): boolean => {
  const said = answer.trim()
  return (
    said === "" ||
    said
      .replace(/[^\p{L} ]/gu, "")
      .trim()
      .toUpperCase() === nothing
  )
}
