import type { AgeTimes } from "../../core/age-clock.ts"
import type { DbOf } from "../../core/database/database.ts"
import { isDiskFull } from "../../core/disk/is-disk-full.ts"
import { lazy } from "../../core/lazy.ts"
import { createApprovalStore } from "./approvals/approval-store.ts"
import { createApprovals } from "./approvals/approvals.ts"
import { decidedTurns, type Parked } from "./approvals/parked-turn-store.ts"
import type { ObjectFiles } from "../../core/objects/kept-objects.ts"
import type { ReadingLibrary } from "./reading/library.ts"
import type { WholeReadingDeps } from "./reading/read-whole.ts"
import { createRuns } from "./streams/runs.ts"
import { createChatFiles } from "./tool-calls/chat-files.ts"
import { createChatRemoval } from "./transcript/chat-removal.ts"
import { createProjectChats } from "./transcript/project-chats.ts"
import { createRetrievalStore } from "./transcript/retrieval-store.ts"
import { createTranscriptStore } from "./transcript/transcript-store.ts"
import { findAnswersToNotify } from "./transcript/answers/answers-to-notify.ts"
import { createUnstoredAnswers } from "./transcript/answers/unstored-answers.ts"
import { noModelError } from "./turn/no-model.ts"
import { createTurnStore } from "./turn/turn-store.ts"
import { createTurns, type TurnsDeps } from "./turn/turns.ts"

/** The dependencies of chat: those of turns, without the parts that this feature creates itself. */
export interface ChatDeps extends Omit<
  TurnsDeps,
  | "runs"
  | "transcript"
  | "reading"
  | "readBefore"
  | "findContinuedAt"
  | "projectOfChat"
  | "turnStore"
  | "retrievals"
  | "approvalStore"
  | "files"
  | "unstored"
> {
  db: DbOf<"chat">
  library: ReadingLibrary
  wholeLimit: WholeReadingDeps["limit"]
  dataDir: string
  /** Object storage for files that tools make, used instead of the data directory. */
  objects: ObjectFiles | null
  /** Whether files of chats that are missing from the database are deleted at start. */
  canForget: boolean
  /** Whether another box may take over from this one and resume its answers. */
  isShared: boolean
  times: Pick<AgeTimes, "latest">
}

/**
 * Creates the parts of chat and connects them. Answers that the previous run of the box left open are closed or resumed before this
 * returns.
 */
export async function openRooms(deps: ChatDeps) {
  const { db, bus, push, logger, times } = deps
  const transcript = createTranscriptStore(db)
  const approvalStore = createApprovalStore(db, times)
  const files = createChatFiles(db, deps.dataDir, deps.objects)
  const removal = createChatRemoval(db)
  const unstored = createUnstoredAnswers(logger)
  const runs = createRuns()
  const { begun, turns: goOn } = deps.isShared
    ? await (await import("./turn/resuming/cut-turns.ts")).takeCutTurns({ ...deps, transcript })
    : { begun: null, turns: [] }
  const stopListening = bus.subscribe("people.disabled", ({ userIds }) => runs.stopAll(userIds))
  // If the disk is full, the next start closes them. They are treated as ended in the meantime.
  await transcript.closeInterrupted(goOn.map(({ messageId }) => messageId)).catch((error: unknown) => {
    if (!isDiskFull(error)) throw error
    logger.warn({ err: error }, "Answers that were cut off couldn't be closed")
  })
  const untold = await findAnswersToNotify(db)

  const notes = lazy(async () => (await import("./reading/notes/note-store.ts")).createNoteStore(db))
  const checking = {
    ...deps,
    reading: { library: deps.library, notes, limit: deps.wholeLimit, logger },
    readBefore: transcript.readBefore,
    findContinuedAt: transcript.findContinuedAt,
    projectOfChat: createProjectChats(db).getProject,
  }
  const turns = createTurns({
    ...checking,
    runs,
    transcript,
    turnStore: createTurnStore(db, times, begun),
    approvalStore,
    retrievals: createRetrievalStore(db),
    files,
    unstored,
  })
  const approvals = createApprovals({
    store: approvalStore,
    decidedTurns: async (chat) => excludeDisabled(await decidedTurns(db, chat)),
    runs,
    requireModel() {
      if (!deps.engine()) throw noModelError("chat.no_model_to_go_on")
    },
    resume: turns.resume,
    bus,
    push,
    logger,
  })

  /** Turns of disabled users stay paused. */
  async function excludeDisabled(parked: Parked[]): Promise<Parked[]> {
    const disabled = parked.length === 0 ? [] : await deps.disabledIds()
    return parked.filter(({ ownerId }) => !disabled.includes(ownerId))
  }

  for (const turn of goOn) await turns.goOn(turn)

  return {
    untold,
    begun,
    checking,
    transcript,
    files,
    removal,
    runs,
    turns,
    approvals,
    async [Symbol.asyncDispose]() {
      stopListening()
      approvals[Symbol.dispose]()
      await runs.close(begun !== null)
      await begun?.leave()
      await turns.announced()
      await removal[Symbol.asyncDispose]()
      await unstored[Symbol.asyncDispose]()
    },
  }
}
