import type { FolderEntry, Passage } from "../../shared/contract/folders.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { listFolders, findByName } from "./names.ts"
import { type Command, jsonFlag, readLimit } from "./command.ts"
import { formatLocation, plainJson, plainLine } from "./terminal.ts"
import { callerFlags, withRunningBox } from "./running-box.ts"

const maxResults = 50
const shownCharacters = 300

export const searchCommand: Command = {
  words: ["search"],
  takes: ["QUERY"],
  summary: "Show the most relevant passages",
  flags: [
    { name: "folder", takes: "NAME|ID", about: "Search only this folder (repeatable)", names: "folder" },
    { name: "limit", takes: "N", about: `Maximum number of passages, up to ${maxResults}` },
    jsonFlag,
    ...callerFlags,
  ],
  callsBox: true,
  run(flags, [query = ""]) {
    const limit = readLimit(flags.limit, maxResults)
    return withRunningBox(flags, async ({ client }) => {
      const folders = await listFolders(client)
      const chosen = flags.folder?.map((given) => findByName("folder", given, folders)) ?? folders
      if (chosen.length === 0) throw new TerminalError("not_found", "There are no folders to search yet.")
      if (chosen.length > maxResults)
        throw new TerminalError(
          "validation",
          `At most ${maxResults} folders can be searched at once. Name them with --folder.`,
        )
      const vector = chosen.map(({ id }) => id)
      const body = { query, vector, ...(limit === undefined ? {} : { topK: limit }) }
      const found = await client.folders.search({ body })
      for (const { message } of found.notices) process.stderr.write(`${plainLine(message)}\n`)
      if (flags.json === true) return [plainJson(found.results)]
      if (found.results.length === 0) process.stderr.write("No results.\n")
      return found.results.flatMap((passage, index) => formatLines(passage, index, chosen))
    })
  },
}

function formatLines(passage: Passage, index: number, folders: readonly FolderEntry[]): string[] {
  const folder = folders.find(({ id }) => id === passage.vectorId)?.name ?? ""
  const text = plainLine(passage.text.replaceAll(/\s+/g, " ").trim())
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text
  return [`[${index + 1}] ${formatLocation(passage)} (${plainLine(folder)})`, `    ${shown}`]
}
