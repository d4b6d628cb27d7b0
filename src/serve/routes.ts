import type { RequestHandler } from "express"
import type { Method } from "../shared/contract/endpoint.ts"

/** Routes by method and number of path segments, so that a lookup compares only a few strings, however many routes there are. */
export interface Routes {
  /** `path` may contain parameters as `:name`, each a whole segment. If several routes match an address, the one added first is used. */
  add(method: Method, path: string, handler: RequestHandler): void
  /** Passes requests without a matching route on. A trailing slash in the address is ignored; letter case isn't. */
  readonly handle: RequestHandler
}

interface Route {
  path: string
  method: Method
  segments: readonly string[]
  handler: RequestHandler
}

export function createRoutes(): Routes {
  const byLength = new Map<number, Route[]>()

  function find(segments: readonly string[], method: string): Route | undefined {
    return byLength.get(segments.length)?.find((route) => route.method === method && fits(route, segments))
  }

  function allowed(segments: readonly string[]): string[] {
    const routes = byLength.get(segments.length)?.filter((route) => fits(route, segments)) ?? []
    const methods = new Set(routes.map(({ method }) => method.toUpperCase()))
    if (methods.has("GET")) methods.add("HEAD")
    return [...methods].toSorted()
  }

  return {
    add(method, path, handler) {
      const segments = split(path)
      const others = byLength.get(segments.length) ?? []
      byLength.set(segments.length, [...others, { path, method, segments, handler }])
    },
    handle(request, response, next) {
      const segments = split(request.path)
      const method = request.method === "HEAD" ? "get" : request.method.toLowerCase()
      const route = find(segments, method)
      if (route) {
        request.params = getParams(route, segments)
        request.route = route
        return route.handler(request, response, next)
      }
      const methods = request.method === "OPTIONS" ? allowed(segments).join(", ") : ""
      if (methods === "") next()
      else response.setHeader("allow", methods).type("text/plain").send(methods)
    },
  }
}

const isParameter = (segment: string) => segment.startsWith(":")

function split(path: string): string[] {
  const segments = path.split("/")
  if (segments.length > 2 && segments.at(-1) === "") segments.pop()
  return segments
}

const fits = (route: Route, segments: readonly string[]): boolean =>
  route.segments.every((own, index) => (isParameter(own) ? segments[index] !== "" : own === segments[index]))

/** @throws URIError if a segment isn't percent-encoded UTF-8. */
function getParams(route: Route, segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [index, own] of route.segments.entries()) {
    if (isParameter(own)) params[own.slice(1)] = decodeURIComponent(segments[index] ?? "")
  }
  return params
}
