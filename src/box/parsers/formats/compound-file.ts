import { CompoundArchive, isCompoundFile } from "../compound/compound-archive.ts"
import { readWhole } from "../document/document-file.ts"
import { getSummaryDate } from "../document/document-properties.ts"
import { failure } from "../parser.ts"
import type { Parser } from "../parser.ts"

/**
 * Files in Microsoft's older container: Word, Excel and PowerPoint up to 2003, Outlook messages, and newer documents with a password. The
 * content decides the type, not the name.
 */
export const compoundFile: Parser = {
  async *parse(input, context) {
    const { file, name, password, scan } = input
    if (!(await isCompoundFile(file))) {
      // Excel 2 to 4 wrote files without a container.
      const { readXls } = await import("../xls/read-xls.ts")
      return yield* readXls(await readWhole(file), context, input)
    }
    const archive = new CompoundArchive(file)
    if (archive.has("EncryptedPackage")) {
      const { decryptPackage } = await import("../passwords/encrypted-package.ts")
      const bytes = await decryptPackage(archive, password)
      yield* context.embedded({ name, bytes, whole: true })
      return
    }
    context.describe({ date: getSummaryDate(archive) })
    if (archive.has("WordDocument")) {
      const { readDoc } = await import("../doc/read-doc.ts")
      yield* readDoc(archive, context, input)
    } else if (archive.has("PowerPoint Document") || archive.has("PP40")) {
      const { readPpt } = await import("../ppt/read-ppt.ts")
      yield* readPpt(archive, context, input)
    } else if (archive.has("Workbook") || archive.has("Book")) {
      const { readXls } = await import("../xls/read-xls.ts")
      const workbook = archive.read("Workbook") ?? archive.read("Book") ?? Buffer.alloc(0)
      yield* readXls(workbook, context, input)
    } else if (archive.has("__properties_version1.0")) {
      const { readMsg } = await import("../msg/read-msg.ts")
      yield* readMsg(archive, context, scan)
    } else {
      throw failure("container_unknown")
    }
  },
}
