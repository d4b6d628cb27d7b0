/** The last part of a path from any operating system, also inside quotes. It is the default name of a new folder. */
export const toFolderName = (path: string): string =>
  path
    .trim()
    .replaceAll(/^["']|["']$/g, "")
    .split(/[\\/]/)
    .findLast((segment) => segment !== "" && segment !== "~") ?? ""
