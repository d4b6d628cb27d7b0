const allowedProtocols = new Set(["http:", "https:", "mailto:"])

/**
 * Makes the one way to open an address outside the app. Anything but http, https and mailto could start a program:
 * it is refused, and so is an address that doesn't parse.
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
