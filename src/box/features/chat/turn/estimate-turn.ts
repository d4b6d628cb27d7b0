import type { ReadingEstimate, ReadingEstimateRequest } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { narrows } from "../../../../shared/contract/file-filter.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"
import type { Caller } from "../../../http/caller.ts"
import { attachedTo, foldersAsked, getModel, requireFiles, requireUsable } from "./check-request.ts"
import type { CheckDeps } from "./check-request.ts"
import { modelSettings } from "./turn.ts"
import { mustStay } from "./staying-chats.ts"

/**
 * Estimates the cost of answering a question from whole documents. Throws `not_found`, `forbidden`, `validation` or `no_model` if it can't
 * be read.
 */
export async function estimateTurn(
  deps: CheckDeps,
  caller: Caller,
  request: ReadingEstimateRequest,
): Promise<ReadingEstimate> {
  const { userId } = caller
  const { id = "", content = null } = request
  const assistant = await requireUsable(deps.box, caller, request)
  const files = await requireFiles(deps.reading, caller, request)
  const { own, attached, hasPictures } = await attachedTo(deps, caller, { id, messages: null })
  const named = files?.vectorIds ?? foldersAsked(caller, request, assistant)
  const vectorIds = own === null ? named : [...new Set([...named, own])]
  const { engine } = await getModel(deps.box, request, assistant)
  if (!engine) throw new AppError("no_model", sentence("reading.no_model"), modelSettings)
  const staysHere =
    (await deps.box.stayingFolders(vectorIds)).length > 0 || (await mustStay(deps, userId, id))
  if (engine.model.kind === "remote" && staysHere)
    throw new AppError("forbidden", sentence("chat.stays_here", { model: engine.model.id }))
  const { estimateReading } = await import("../reading/deciding/decide-reading.ts")
  const { decidesOnWhole, filesToRead } = await import("../reading/deciding/decide-reading.ts")
  const { findColumns, getTask } = await import("../reading/deciding/decide-reading.ts")
  const task = content === null ? null : getTask(content, findColumns(content))
  const granted = assistant?.vectorIds ?? []
  const asked = {
    question: content ?? "",
    attached,
    hasOtherFolders: vectorIds.some((each) => each !== own),
    fileIds: files?.ids ?? null,
  }
  const generated: GeneratedFiles = request.includeGenerated ? "all" : []
  const filter = narrows(request.filter) ? request.filter : null
  const scope = { userId, granted, vectorIds, fileIds: filesToRead(asked), generated, filter }
  const estimate = await estimateReading(deps.reading, engine, scope, task)
  const isPossible = estimate.fits && estimate.characters > 0 && !hasPictures
  return { ...estimate, isDecided: isPossible && decidesOnWhole(engine, asked) }
}
