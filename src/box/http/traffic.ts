import type { Request, RequestHandler } from "express"

/** A finished request. */
export interface EndedRequest {
  method: string
  /** The endpoint's path with parameter names; null for pages, the page's files and unknown paths. */
  route: string | null
  /** Null if the client disconnected before it was answered. */
  status: number | null
  seconds: number
}

/** Reports finished requests to a listener. Without a listener, requests have no overhead. */
export interface Traffic {
  readonly note: RequestHandler
  /** Sets the listener permanently. */
  watch(listener: (request: EndedRequest) => void): void
}

export function createTraffic(): Traffic {
  let onEnded: ((request: EndedRequest) => void) | undefined
  return {
    note(request, response, next) {
      const listener = onEnded
      if (listener) {
        const startedAt = performance.now()
        response.once("close", () =>
          listener({
            method: request.method,
            route: getRoute(request),
            status: response.headersSent ? response.statusCode : null,
            seconds: (performance.now() - startedAt) / 1000,
          }),
        )
      }
      next()
    },
    watch: (listener) => void (onEnded = listener),
  }
}

const getRoute = (request: Request) => (request.route as { path: string } | undefined)?.path ?? null
