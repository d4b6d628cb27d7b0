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
