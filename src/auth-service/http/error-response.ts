import type { Request, Response } from "express"
import { z } from "zod"
import { ServiceError, type ServiceIssue } from "../../shared/contract/service-errors.ts"
import { isWriteConflict } from "../core/database.ts"
import type { Logger } from "../core/logger.ts"

/** How long the rest of a refused body is still accepted, so that the client can read the response. */
const drainMs = 10_000

/** Converts any thrown value to an error that a client may see. Internal errors are logged with their cause. */
export function toServiceError(error: unknown, logger: Logger): ServiceError {
  if (error instanceof ServiceError) {
    if (error.status >= 500) logger.error({ err: error.cause }, error.message)
    return error
  }
  if (error instanceof z.ZodError) return validationError(error)
  if (isWriteConflict(error)) {
    logger.warn({ err: error }, "Timed out waiting for other writers")
    return new ServiceError("RETRY_REQUEST", "Others are writing just now; nothing was changed. Try again.", {
      retryAfterSeconds: 1,
    })
  }
  if (error instanceof URIError) return new ServiceError("VALIDATION_ERROR", "The address is malformed.")
  logger.error({ err: error }, "Unexpected error in a request")
  return new ServiceError("INTERNAL_ERROR", "Something went wrong in the service. Try again later.")
}

/** The 400 for a body or query that doesn't match its schema; it names each field. */
function validationError(error: z.ZodError): ServiceError {
  const issues = error.issues.flatMap((issue): ServiceIssue[] => {
    const path = issue.path.join(".")
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }]
    return issue.keys.map((key) => ({
      path: path === "" ? key : `${path}.${key}`,
      message: "isn't a field that may be sent",
    }))
  })
  const [first] = issues
  const where = first === undefined ? "" : ` ${first.path === "" ? "body" : first.path}: ${first.message}`
  return new ServiceError("VALIDATION_ERROR", `The request isn't valid:${where}`, { issues })
}

export function sendError(request: Request, response: Response, error: ServiceError): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (error.status === 401) response.setHeader("www-authenticate", "Bearer")
  if (error.status === 429) {
    response.setHeader("retry-after", String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))))
  }
  response.status(error.status).json(error.toBody())
  if (!request.readableEnded) drain(request)
}

function drain(request: Request): void {
  const limit = setTimeout(() => request.socket.destroy(), drainMs)
  const settled = () => clearTimeout(limit)
  request.once("end", settled).once("close", settled).once("error", settled)
  request.unpipe()
  request.resume()
}
