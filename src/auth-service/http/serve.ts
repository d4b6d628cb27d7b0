import type { Contract } from "../../shared/contract/endpoint.ts"
import { checkAnswer, type Handlers as HandlersOf, type Serving } from "../../serve/serve.ts"
import type { Logger } from "../core/logger.ts"
import type { Admit } from "./admit.ts"
import type { Caller } from "./caller.ts"
import { sendError, toServiceError } from "./error-response.ts"
import type { ReadJson } from "./read-json.ts"

export type Handlers<C extends Contract> = HandlersOf<C, Caller>

const usualBodyBytes = 64 * 1024

/** Defines how the auth service serves every endpoint. */
export const createServing = (admit: Admit, readJson: ReadJson, logger: Logger): Serving<Caller> => ({
  admit: (request, _response, { demand }) => admit(request, demand ?? {}),
  readJson: (request, response, longest = usualBodyBytes) => readJson(request, response, longest),
  send: async (_request, response, schema, value) => void response.json(checkAnswer(schema, value)),
  refuse: (request, response, error) => sendError(request, response, toServiceError(error, logger)),
})
