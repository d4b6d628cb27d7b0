/** What stands in folders, the outermost first, with `/` between names; an empty one is left out. */
export const pathOf = (...names: readonly string[]): string => names.filter((name) => name !== "").join("/")
