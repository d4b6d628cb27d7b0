import type { ChatEngine } from "../../../engines/engine.ts"
import { readWhole, type WholeReadingDeps } from "../reading/read-whole.ts"
import type { WholeDecision } from "../reading/deciding/decide-reading.ts"
import { isPicture } from "./turn-pictures.ts"
import { systemMessages } from "../grounding/grounding.ts"
import { noteReadWithoutTools } from "./prompt/turn-prompt.ts"
import { stayingNotice } from "./staying-chats.ts"
import { type AnswerEvent, type Turn, addUsage, noUsage } from "./turn.ts"

/** Returns whether an image is attached to a question for which the user didn't request whole-document reading. */
export async function isAboutPictures(
  { request, ports }: Pick<Turn, "request" | "ports">,
  { notice }: WholeDecision,
): Promise<boolean> {
  const attachments = notice === null ? null : await ports.attachments()
  return attachments?.get(request.messages.length - 1)?.some(isPicture) === true
}

/** Writes an answer from everything the question is about. Uses no tools, so that instructions in the files can't make the model act. */
export async function* answerFromAll(
  deps: { reading: WholeReadingDeps },
  engine: ChatEngine,
  turn: Turn,
  { fileIds, list, columns, notice }: WholeDecision,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const { identity, request, ports } = turn
  const { messages, assistant, vectorIds, boxAddress } = request
  noteReadWithoutTools(turn, true)
  const asked = {
    userId: identity.userId,
    granted: assistant?.vectorIds ?? [],
    vectorIds,
    fileIds,
    generated: request.generated,
    filter: request.filter,
    question: messages.at(-1)?.content ?? "",
    instructions: [assistant?.instructions ?? "", ...systemMessages(messages)].join("\n\n").trim(),
    list,
    columns,
    boxAddress,
    conversationKey: identity.conversationKey,
    engine,
    mayBeSent: async () => engine.model.kind === "local" || !(await ports.staysHere(vectorIds)),
  }
  if (notice) yield { type: "notice", ...notice }
  const end = yield* readWhole(deps.reading, asked, signal)
  const isWithheld = end.finishReason === "withheld"
  if (isWithheld) yield { type: "notice", ...stayingNotice(engine.model.id) }
  yield {
    type: "finish",
    finishReason: end.finishReason === "withheld" ? "stop" : end.finishReason,
    usage: end.usage ? addUsage(noUsage, end.usage) : noUsage,
    model: engine.model.id,
    waiting: [],
  }
}
