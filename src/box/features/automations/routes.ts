import type { IncomingMessage } from "node:http"
import type { api } from "../../../shared/contract/api.ts"
import { longestHookBody } from "../../../shared/contract/automations.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Automations, NewHook } from "./service.ts"

export function automationHandlers(open: () => Promise<Automations>): Handlers<typeof api.automations> {
  return {
    list: async ({ caller, query }) => (await open()).list(caller.userId, query),
    read: async ({ caller, params }) => ({ automation: await (await open()).read(caller.userId, params.id) }),
    async create({ caller, body, request }) {
      const { automation, hook } = await (await open()).create(caller, body)
      return { automation, ...(hook && { hook: withAddress(hook, request) }) }
    },
    async update({ caller, params, body, request }) {
      const { automation, hook } = await (await open()).update(caller, params.id, body)
      return { automation, ...(hook && { hook: withAddress(hook, request) }) }
    },
    async remove({ caller, params }) {
      await (await open()).remove(caller.userId, params.id)
      return { success: true, id: params.id }
    },
    runs: async ({ caller, params, query }) => (await open()).listRuns(caller.userId, params.id, query),
    run: async ({ caller, params, query }) => ({
      run: await (await open()).run(caller, params.id, query),
    }),
    cancel: async ({ caller, params }) => ({ run: await (await open()).cancel(caller.userId, params.runId) }),
    hook: async ({ params, request }) => ({
      run: await (await open()).callHook(params.token, await bodyOf(request)),
    }),
  }
}

/** The hook's address, at the box as whoever made it reaches it. */
const withAddress = ({ token }: NewHook, request: IncomingMessage) => ({
  token,
  url: `http://${request.headers.host ?? "localhost"}/api/hooks/${token}`,
})

/** The text of a body of any kind. Throws `payload_too_large`. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.byteLength
    if (bytes > longestHookBody)
      throw new AppError("payload_too_large", sentence("automations.input_too_long"))
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}
