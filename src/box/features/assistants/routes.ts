import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Handlers } from "../../http/serve.ts"
import { isLinkedKey, type Toolbox } from "../../tools/registry.ts"
import type { Assistants } from "./service.ts"

/** The box's copies of images on the web. */
interface Pictures {
  get(url: string, purpose: "assistant-picture"): Promise<{ mediaType: string; bytes: Buffer }>
}

export function assistantHandlers(
  assistants: Assistants,
  pictures: Pictures,
): Handlers<typeof api.assistants> {
  return {
    list: ({ caller, query: { limit, offset, search } }) =>
      assistants.list(caller.userId, { limit, offset }, search),
    handle: ({ caller, query: { wanted, assistantId } }) =>
      assistants.handleFor(caller.userId, wanted, assistantId),
    create: async ({ caller, body }) => ({ assistant: await assistants.create(caller, body) }),
    read: async ({ caller, params }) => ({ assistant: await assistants.read(caller.userId, params.id) }),
    async image({ caller, params, response }) {
      const { customImage } = await assistants.read(caller.userId, params.id)
      if (customImage === null || !/^https?:/i.test(customImage))
        throw new AppError("not_found", sentence("assistants.no_picture"))
      const { mediaType, bytes } = await pictures.get(customImage, "assistant-picture")
      response.setHeader("cache-control", "private, no-cache") // the image may be replaced
      response.type(mediaType).send(bytes)
    },
    update: async ({ caller, params, body }) => ({
      assistant: await assistants.update(caller, params.id, body),
    }),
    async remove({ caller, params }) {
      const undo = await assistants.remove(caller.userId, params.id)
      return { success: true, id: params.id, undo }
    },
  }
}

/** Lists every key that assistants may have, and whether it can currently be used. */
export const toolHandlers = (toolbox: Pick<Toolbox, "list">): Handlers<typeof api.tools> => ({
  list: async ({ caller: { userId, scopes } }) => {
    const tools = await toolbox.list(userId)
    // A key with scopes can't use accounts.
    const reached = tools.map((tool) => ({ ...tool, linked: tool.linked && !isLinkedKey(tool.key) }))
    return { tools: scopes === null ? tools : reached }
  },
})
