import type { Request, RequestHandler } from "express"

/** A request that has come to its end. */
export interface EndedRequest {
  method: string
  /** The endpoint's path with its parameters' names; null for pages, files of the page and what there isn't. */
  route: string | null
  /** Null where the client went before it was answered. */
  status: number | null
  seconds: number
}

/** Tells of requests whoever asked to be told; until then it costs none of them anything. */
export interface Traffic {
  readonly note: RequestHandler
  /** Whoever listens does so for good. */
  watch(listener: (request: EndedRequest) => void): void
}

export function createTraffic(): Traffic {
  let tell: ((request: EndedRequest) => void) | undefined
  return {
    note(request, response, next) {
      const listener = tell
      if (listener) {
        const begun = performance.now()
        response.once("close", () =>
          listener({
            method: request.method,
            route: routeOf(request),
            status: response.headersSent ? response.statusCode : null,
            seconds: (performance.now() - begun) / 1000,
          }),
        )
      }
      next()
    },
    watch: (listener) => void (tell = listener),
  }
}

const routeOf = (request: Request) => (request.route as { path: string } | undefined)?.path ?? null
