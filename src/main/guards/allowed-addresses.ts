/** Whether an address has exactly the origin of the box's page. A common prefix isn't enough. */
export function isBoxAddress(boxUrl: string, address: string): boolean {
  const parsed = URL.parse(address)
  return (
    parsed !== null &&
    parsed.origin === new URL(boxUrl).origin &&
    parsed.username === "" &&
    parsed.password === ""
  )
}

const allowedProtocols = new Set(["http:", "https:", "mailto:"])

/**
 * Creates the only way to open an address outside the app. Anything other than http, https and mailto could start a program, so it is
 * refused, as are addresses that can't be parsed.
 */
export function createOpenExternal(open: (address: string) => Promise<void>) {
  return async (address: string): Promise<boolean> => {
    const parsed = URL.parse(address)
    if (!parsed || !allowedProtocols.has(parsed.protocol)) return false
    await open(parsed.href)
    return true
  }
}

export type OpenExternal = ReturnType<typeof createOpenExternal>

/** Hosts from which Chromium downloads its dictionaries, including redirects. */
const dictionaryHosts = ["redirector.gvt1.com", "*.gvt1.com"]

interface Needed {
  /** The host on which the box listens. */
  boxHost: string
  /** Address of the update feed, if any. */
  feed: string | null
  /** Whether everything stays on this computer for as long as the program runs. */
  localOnly: boolean
  platform: NodeJS.Platform
}

/**
 * Chromium's `host-resolver-rules`. Chromium can reach the box and the shell's own downloads, but no other host, whatever a page tries to
 * open, preload or resolve. macOS has its own dictionaries.
 */
export function hostResolverRules({ boxHost, feed, localOnly, platform }: Needed): string {
  const feedHost = feed === null ? undefined : URL.parse(feed)?.hostname
  const reached = [
    ...new Set(["127.0.0.1", "localhost", "::1", boxHost]),
    ...(localOnly || platform === "darwin" ? [] : dictionaryHosts),
    ...(localOnly || feedHost === undefined ? [] : [feedHost, `*.${feedHost}`]),
  ]
  return ["MAP * ~NOTFOUND", ...reached.map((host) => `EXCLUDE ${host}`)].join(", ")
}
