/** Remembered of a browser whose person a provider signed in: when the session ends, the provider is asked first. */
const key = "signed-in-by-provider"

export const keepSignedInByProvider = (): void => localStorage.setItem(key, "1")

export const forgetSignedInByProvider = (): void => localStorage.removeItem(key)

export const isSignedInByProvider = (): boolean => localStorage.getItem(key) !== null
