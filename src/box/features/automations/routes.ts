import type { IncomingMessage } from "node:http"
import type { api } from "../../../shared/contract/api.ts"
import { maxHookBodyLength, type Automation, type Run } from "../../../shared/contract/automations.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Handlers } from "../../http/serve.ts"
import { reachesFolders, type Caller } from "../../http/caller.ts"
import type { Automations, NewHook } from "./service.ts"

export function automationHandlers(open: () => Promise<Automations>): Handlers<typeof api.automations> {
  return {
    async list({ caller, query }) {
      const { automations, pagination } = await (await open()).list(caller.userId, query)
      return { automations: automations.map((automation) => shownTo(caller, automation)), pagination }
    },
    read: async ({ caller, params }) => ({
      automation: shownTo(caller, await (await open()).read(caller.userId, params.id)),
    }),
    async create({ caller, body, request }) {
      const { automation, hook } = await (await open()).create(caller, body)
      return { automation, ...(hook && { hook: addHookAddress(hook, request) }) }
    },
    async update({ caller, params, body, request }) {
      const { automation, hook } = await (await open()).update(caller, params.id, body)
      return { automation: shownTo(caller, automation), ...(hook && { hook: addHookAddress(hook, request) }) }
    },
    async remove({ caller, params }) {
      await (await open()).remove(caller.userId, params.id)
      return { success: true, id: params.id }
    },
    async runs({ caller, params, query }) {
      const { runs, pagination } = await (await open()).listRuns(caller.userId, params.id, query)
      return { runs: runs.map((run) => runShownTo(caller, run)), pagination }
    },
    run: async ({ caller, params, query }) => ({
      run: await (await open()).run(caller, params.id, query),
    }),
    cancel: async ({ caller, params }) => ({
      run: runShownTo(caller, await (await open()).cancel(caller.userId, params.runId)),
    }),
    hook: async ({ params, request }) => ({
      run: await (await open()).callHook(params.token, await readBody(request)),
    }),
  }
}

/** Removes the file's name from a run for a key that can't read folders. */
function runShownTo(caller: Caller, run: Run): Run {
  if (reachesFolders(caller) || !("fileName" in run.cause)) return run
  const { fileName: _fileName, ...cause } = run.cause
  return { ...run, cause }
}

const shownTo = (caller: Caller, automation: Automation): Automation => ({
  ...automation,
  lastRun: automation.lastRun && runShownTo(caller, automation.lastRun),
})

/** Adds the webhook's URL, at the address through which its creator reaches the box. */
const addHookAddress = ({ token }: NewHook, request: IncomingMessage) => ({
  token,
  url: `http://${request.headers.host ?? "localhost"}/api/hooks/${token}`,
})

/** Returns the text of a body of any type. Throws `payload_too_large`. */
async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.byteLength
    if (bytes > maxHookBodyLength)
      throw new AppError("payload_too_large", sentence("automations.input_too_long"))
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}
