/** Remembers that a provider signed the user in. When the session ends, the page tries the provider first. */
const key = "signed-in-by-provider"

export const storeSignedInByProvider = (): void => localStorage.setItem(key, "1")

export const forgetSignedInByProvider = (): void => localStorage.removeItem(key)

export const isSignedInByProvider = (): boolean => localStorage.getItem(key) !== null
