import type { Endpoint } from "./endpoint.ts"

/** The methods that an address has, in order; empty for one that isn't known. Several paths may fit it. */
export function allowedMethods(
  endpoints: readonly Pick<Endpoint, "method" | "path">[],
  address: string,
): string[] {
  const methods = endpoints
    .filter(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}/?$`).test(address))
    .flatMap(({ method }) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]))
  return [...new Set(methods)].toSorted()
}
