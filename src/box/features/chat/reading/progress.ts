import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import { charactersIn, type Part } from "./cut-parts.ts"
import type { Document } from "./documents.ts"
import type { NoteStore } from "./notes/note-store.ts"
import type { PartTask } from "./part-prompt.ts"
import { getOrigin, type PartNotes } from "./read-parts.ts"
import { estimateCost } from "./notes/speed.ts"

type Progress = Extract<ChatEvent, { type: "progress" }>

/** Reports reading progress: the next file, and the remaining time at the model's speed so far. */
export async function startProgress(
  notes: Pick<NoteStore, "getSpeed" | "remembered">,
  engine: ChatEngine,
  task: PartTask,
  documents: readonly Document[],
  parts: readonly Part[],
) {
  const kept = await notes.remembered(
    getOrigin(engine, task),
    documents.map(({ file }) => file),
  )
  return async (read: ReadonlyMap<Part, PartNotes>): Promise<Progress> => {
    const left = parts.filter((part) => !read.has(part))
    const found = [...read].filter(([, { isCached }]) => isCached === true)
    const reusable = Math.max(0, kept - getSize(found.map(([part]) => part)))
    const { seconds } = await estimateCost(notes, engine, Math.max(0, getSize(left) - reusable))
    const fileName = left[0]?.[0]?.document.file.name
    return {
      type: "progress",
      stage: "reading",
      done: read.size,
      total: parts.length,
      unit: "parts",
      secondsLeft: seconds,
      ...(fileName !== undefined && { fileName }),
    }
  }
}

const getSize = (parts: readonly Part[]) => parts.reduce((sum, part) => sum + charactersIn(part), 0)
