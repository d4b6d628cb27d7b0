import type { ReadingEstimate, ReadingEstimateRequest } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { reachesFolders, type Caller } from "../../../http/caller.ts"
import { foldersAsked, modelOf, modelSettings, requireFiles, requireUsable } from "./check-request.ts"
import type { CheckDeps } from "./check-request.ts"
import { staying } from "./stays-here.ts"

/**
 * What a question would take that has all read. Throws what keeps it from being read: `not_found`, `forbidden`,
 * `validation` or `no_model`.
 */
export async function estimateTurn(
  deps: CheckDeps,
  caller: Caller,
  request: ReadingEstimateRequest,
): Promise<ReadingEstimate> {
  const { userId } = caller
  const { id = "", content = null } = request
  const assistant = await requireUsable(deps, caller, request)
  const files = await requireFiles(deps, caller, request)
  const own = reachesFolders(caller) && id !== "" ? await deps.ownFolder(userId, id) : null
  const asked = [...foldersAsked(caller, request, assistant), ...(own === null ? [] : [own])]
  const vectorIds = files?.vectorIds ?? [...new Set(asked)]
  const { engine } = await modelOf(deps, request, assistant)
  if (!engine) throw new AppError("no_model", sentence("reading.no_model"), modelSettings)
  const staysHere = (await deps.stayingFolders(vectorIds)).length > 0 || (await staying(deps, userId, id))
  if (engine.model.kind === "remote" && staysHere)
    throw new AppError("forbidden", sentence("chat.stays_here", { model: engine.model.id }))
  const { estimateReading } = await import("../reading/deciding/estimate.ts")
  const { decidesOnWhole } = await import("../reading/deciding/whether.ts")
  const { columnsOf, taskOf } = await import("../reading/task-of.ts")
  const task = content === null ? null : taskOf(content, columnsOf(content))
  const granted = assistant?.vectorIds ?? []
  const scope = { userId, granted, vectorIds, fileIds: files?.ids ?? null }
  const estimate = await estimateReading(deps.reading, engine, scope, task)
  const isPossible = estimate.fits && estimate.characters > 0
  return { ...estimate, isDecided: isPossible && content !== null && decidesOnWhole(engine, content) }
}
