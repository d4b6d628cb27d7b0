/** Where Chromium fetches its dictionaries, and where that leads on to. */
const dictionaryHosts = ["redirector.gvt1.com", "*.gvt1.com"]

interface Needed {
  /** The host that the box listens on. */
  boxHost: string
  /** Address of the updates, if any. */
  feed: string | null
  /** Nothing leaves this computer for as long as the program runs. */
  localOnly: boolean
  platform: NodeJS.Platform
}

/**
 * Chromium's `host-resolver-rules`: it reaches the box, what it fetches for the shell itself, and no other host, whatever
 * a page asks it to open, hint at or look up. macOS has dictionaries of its own.
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
