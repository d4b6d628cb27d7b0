const allowedProtocols = new Set(["http:", "https:", "mailto:"])

/** Returns the address if it is an absolute http, https or mailto URL; otherwise undefined. */
export function safeUrl(url: string): URL | undefined {
  const parsed = URL.parse(url)
  return parsed && allowedProtocols.has(parsed.protocol) ? parsed : undefined
}

/** The real destination of a link, in a form that can't be spoofed by look-alike letters or a user name. */
export const realHost = (url: URL): string => (url.protocol === "mailto:" ? url.pathname : url.host)
