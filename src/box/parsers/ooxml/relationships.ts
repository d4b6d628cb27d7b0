import { posix } from "node:path"
import type { OfficePackage } from "../office/office-package.ts"

export interface Relationship {
  id: string
  /** The last segment of its type URI: `slide`, `styles`, `chart`, … */
  type: string
  /** Name of the target part. */
  target: string
}

/** Returns the parts to which a part refers, in listed order (ECMA-376 part 2, 9.3). */
export async function getRelationships(file: OfficePackage, part: string): Promise<Relationship[]> {
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

/** Returns the package's main part, or `usual` if the package doesn't name one. */
export async function mainPart(file: OfficePackage, usual: string): Promise<string> {
  const main = (await getRelationships(file, "")).find(({ type }) => type === "officeDocument")
  return main && file.has(main.target) ? main.target : usual
}
