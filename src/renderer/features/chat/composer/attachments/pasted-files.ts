/** Files in what is pasted. Office programs add a picture of the text that was copied: then the text is meant. */
export function pastedFiles(pasted: Pick<DataTransfer, "files" | "getData">): File[] {
  const files = [...pasted.files]
  const isRendering =
    files.every(({ type }) => type.startsWith("image/")) && pasted.getData("text/rtf") !== ""
  return isRendering ? [] : files
}
