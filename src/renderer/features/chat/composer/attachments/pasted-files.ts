/** Returns the files in a paste. Office programs add an image of copied text; in that case only the text is wanted. */
export function pastedFiles(pasted: Pick<DataTransfer, "files" | "getData">): File[] {
  const files = [...pasted.files]
  const isRendering =
    files.every(({ type }) => type.startsWith("image/")) && pasted.getData("text/rtf") !== ""
  return isRendering ? [] : files
}
