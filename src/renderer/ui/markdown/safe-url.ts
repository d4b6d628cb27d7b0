const allowedProtocols = new Set(["http:", "https:", "mailto:"])

/** The address when it may be followed: an absolute http, https or mailto one. Everything else is undefined. */
export function safeUrl(url: string): URL | undefined {
  const parsed = URL.parse(url)
  return parsed && allowedProtocols.has(parsed.protocol) ? parsed : undefined
}

/** Where a link really leads, in the form that can't be spoofed by look-alike letters or a user name. */
export const realHost = (url: URL): string => (url.protocol === "mailto:" ? url.pathname : url.host)
