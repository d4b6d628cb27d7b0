import { CFB, write, type WorkBook } from "@e965/xlsx"

/** Returns the parts of a workbook of Excel 2007 in binary format, with its texts in a part of their own. */
export function xlsbParts(book: WorkBook): Record<string, Buffer> {
  const bytes = write(book, { type: "buffer", bookType: "xlsb", bookSST: true }) as Buffer
  const { FullPaths: paths, FileIndex: files } = CFB.read(bytes, { type: "buffer" }) as {
    FullPaths: string[]
    FileIndex: { content?: number[] }[]
  }
  return Object.fromEntries(
    paths.flatMap((path, index) => {
      const content = files[index]?.content
      return content && /\w$/.test(path) ? [[path.replace("Root Entry/", ""), Buffer.from(content)]] : []
    }),
  )
}
