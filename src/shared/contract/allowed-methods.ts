import type { Endpoint } from "./endpoint.ts"

/** Returns the methods of an address, sorted; empty for an unknown address. Several paths may match it. */
export function allowedMethods(
  endpoints: readonly Pick<Endpoint, "method" | "path">[],
  address: string,
): string[] {
  const methods = endpoints
    .filter(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}/?$`).test(address))
    .flatMap(({ method }) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]))
  return [...new Set(methods)].toSorted()
}
