const opening = /data:[\w.+/-]{0,100}(?:;[\w.=+-]{1,100}){0,4};base64,/i
const openingCutOff = /(?:d|da|dat|data|data:[\w.+/;=-]*)$/i
const longestOpening = 512

/** Removes `data:…;base64,…` from a text: pictures inside Markdown are megabytes of letters that say nothing. */
export async function* dropDataUris(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let held = ""
  let inside = false
  for await (const chunk of chunks) {
    let text = held + chunk
    let kept = ""
    held = ""
    while (text !== "") {
      if (inside) {
        const end = text.search(/[^A-Za-z0-9+/=]/)
        if (end < 0) break
        text = text.slice(end)
        inside = false
      }
      const found = opening.exec(text)
      if (!found) {
        held = openingCutOff.exec(text.slice(-longestOpening))?.[0] ?? ""
        kept += text.slice(0, text.length - held.length)
        break
      }
      kept += text.slice(0, found.index)
      text = text.slice(found.index + found[0].length)
      inside = true
    }
    yield kept
  }
  yield held
}
