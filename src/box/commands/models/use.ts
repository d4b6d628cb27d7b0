import { parseServerModelId } from "../../../shared/contract/server-model-id.ts"
import type { Command } from "../command.ts"
import { findByName } from "../names.ts"
import { callerFlags, withRunningBox } from "../running-box.ts"
import { plainLine } from "../terminal.ts"

export const modelsUse: Command = {
  words: ["models", "use"],
  takes: ["ID|NAME"],
  summary: "choose the model that answers",
  flags: callerFlags,
  names: "model",
  callsBox: true,
  run: (flags, [given = ""]) =>
    withRunningBox(flags, async ({ client }) => {
      const { models } = await client.models.list()
      const chats = models
        .filter((model) => model.kind === "server" || model.purpose === "chat")
        .map(({ id, name }) => ({ id, name: parseServerModelId(id)?.name ?? name }))
      const { id, name } = findByName("chat model", given, chats)
      const { choice } = await client.models.choose({ body: { role: "chat", modelId: id } })
      return [
        choice.chat.pending
          ? `${plainLine(name)} answers from the next start without --model, which names another for this run.`
          : `${plainLine(name)} answers from now on.`,
      ]
    }),
}
