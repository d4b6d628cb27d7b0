/** Joins folder and file names with `/`, outermost first. Empty names are left out. */
export const joinPath = (...names: readonly string[]): string => names.filter((name) => name !== "").join("/")
