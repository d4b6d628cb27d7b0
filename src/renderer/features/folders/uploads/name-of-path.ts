/** The last part of a path, whatever system it is from: what a folder for it is called. */
export const nameOfPath = (path: string): string =>
  path.split(/[\\/]/).findLast((segment) => segment !== "") ?? ""
