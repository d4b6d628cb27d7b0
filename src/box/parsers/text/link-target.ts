/** Longer targets, such as those that track readers, aren't worth reading. */
const maxTargetCharacters = 300

/** Returns the target of a link to show after its text; undefined if the text already shows it or if it leads into the document. */
export function getLinkTarget(target: string, shown: string): string | undefined {
  const address = target.trim().replace(/^mailto:([^?]*).*$/i, "$1")
  const isMail = /^mailto:/i.test(target.trim())
  if (address === "" || address.length > maxTargetCharacters || !(isMail || /^https?:\/\/./i.test(address)))
    return undefined
  const bare = (text: string) =>
    text
      .replace(/^\s*(https?:\/\/)?(www\.)?/i, "")
      .replace(/\/?\s*$/, "")
      .toLowerCase()
  return bare(shown).includes(bare(address)) ? undefined : address
}

/** Returns the text of a cell with the target of its link. */
export function addLinkTarget(text: string, target: string | undefined): string {
  const added = target === undefined || text.trim() === "" ? undefined : getLinkTarget(target, text)
  return added === undefined ? text : `${text} (${added})`
}

const hyperlink = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s\\"]\S*))/i

/** Returns the target in the instruction of a Word field, such as `HYPERLINK "https://example.org" \o "Tip"`. */
export function getFieldTarget(instruction: string): string | undefined {
  const [, quoted, bare] = hyperlink.exec(instruction) ?? []
  return quoted ?? bare
}
