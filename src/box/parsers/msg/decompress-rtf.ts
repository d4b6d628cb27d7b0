/** The initial content of every dictionary (MS-OXRTFCP 2.1.2.1). */
const initialDictionary =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans " +
  "SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
const dictionaryBytes = 4096
const headerBytes = 16
const uncompressed = 0x414c454d

/** Decompresses the RTF body of a message (MS-OXRTFCP). Damaged data is read up to the damage. */
export function decompressRtf(data: Buffer): Buffer {
  if (data.length < headerBytes) return Buffer.alloc(0)
  if (data.readUInt32LE(8) === uncompressed) return data.subarray(headerBytes)
  const dictionary = Buffer.alloc(dictionaryBytes, 0x20)
  dictionary.write(initialDictionary, "latin1")
  let write = initialDictionary.length
  const output = Buffer.alloc((data.length - headerBytes) * 9) // Two bytes represent 17 at most.
  let length = 0
  const put = (byte: number): void => {
    output[length++] = byte
    dictionary[write] = byte
    write = (write + 1) % dictionaryBytes
  }
  let at = headerBytes
  while (at < data.length) {
    const control = data[at++] ?? 0
    for (let bit = 0; bit < 8 && at < data.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(data[at++] ?? 0)
        continue
      }
      const reference = ((data[at] ?? 0) << 8) | (data[at + 1] ?? 0)
      at += 2
      const offset = reference >>> 4
      if (offset === write) return output.subarray(0, length)
      for (let index = 0; index < (reference & 0xf) + 2; index++) {
        put(dictionary[(offset + index) % dictionaryBytes] ?? 0)
      }
    }
  }
  return output.subarray(0, length)
}
