/** The last part of a path, whatever system it is from and between quotes too: what a folder for it is called. */
export const nameOfPath = (path: string): string =>
  path
    .trim()
    .replaceAll(/^["']|["']$/g, "")
    .split(/[\\/]/)
    .findLast((segment) => segment !== "" && segment !== "~") ?? ""
