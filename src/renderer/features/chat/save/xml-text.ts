/** What XML can't hold ends a document that has it. */
export const xmlText = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- they are what has to go
  text.toWellFormed().replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "")
