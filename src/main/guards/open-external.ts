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
