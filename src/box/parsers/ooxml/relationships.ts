import { posix } from "node:path"
import type { OfficePackage } from "../office/office-package.ts"

export interface Relationship {
  id: string
  /** The last word of its type's address: `slide`, `styles`, `chart`, … */
  type: string
  /** Name of the part it leads to. */
  target: string
}

/** Parts that a part leads to, in the order in which they are listed (ECMA-376 part 2, 9.3). */
export async function relationshipsOf(file: OfficePackage, part: string): Promise<Relationship[]> {
  const directory = posix.dirname(part)
  const found: Relationship[] = []
  await file.read(posix.join(directory, "_rels", `${posix.basename(part)}.rels`), {
    open(name, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode }) {
      if (name !== "Relationship" || mode === "External") return
      found.push({
        id,
        type: type.slice(type.lastIndexOf("/") + 1),
        target: target.startsWith("/") ? target.slice(1) : posix.join(directory, target),
      })
    },
  })
  return found
}

/** The part that everything else hangs from, or `usual` where the package doesn't say. */
export async function mainPart(file: OfficePackage, usual: string): Promise<string> {
  const main = (await relationshipsOf(file, "")).find(({ type }) => type === "officeDocument")
  return main && file.has(main.target) ? main.target : usual
}
