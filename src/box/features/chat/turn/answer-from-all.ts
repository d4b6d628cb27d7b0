import type { ChatEngine } from "../../../engines/engine.ts"
import { readWhole, type WholeReadingDeps } from "../reading/read-whole.ts"
import { foreignText } from "./turn-tools.ts"
import { nowStaying } from "./stays-here.ts"
import type { AnswerEvent, Turn } from "./turn.ts"
import { addUsage, noUsage } from "./usage.ts"

/** An answer made of all that is asked about. No tools are used for it: what is read can make the model do nothing. */
export async function* answerFromAll(
  deps: { reading: WholeReadingDeps },
  engine: ChatEngine,
  { identity, request, progress, ports }: Turn,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const { messages, assistant, vectorIds, fileIds, boxAddress } = request
  progress.labels = progress.labels && [
    ...progress.labels,
    ...(assistant?.owned === false ? [foreignText] : []),
    { trusted: false, private: true },
  ]
  const systemMessages = messages.flatMap(({ role, content }) => (role === "system" ? [content] : []))
  const asked = {
    userId: identity.userId,
    vectorIds,
    fileIds,
    question: messages.at(-1)?.content ?? "",
    instructions: [assistant?.instructions ?? "", ...systemMessages].join("\n\n").trim(),
    list: request.whole?.list ?? false,
    boxAddress,
    conversationKey: identity.conversationKey,
    engine,
    mayBeSent: async () => engine.model.kind === "local" || !(await ports.staysHere(vectorIds)),
  }
  const end = yield* readWhole(deps.reading, asked, signal)
  const isWithheld = end.finishReason === "withheld"
  if (isWithheld) yield { type: "notice", ...nowStaying(engine.model.id) }
  yield {
    type: "finish",
    finishReason: end.finishReason === "withheld" ? "stop" : end.finishReason,
    usage: end.usage ? addUsage(noUsage, end.usage) : noUsage,
    model: engine.model.id,
    waiting: [],
  }
}
