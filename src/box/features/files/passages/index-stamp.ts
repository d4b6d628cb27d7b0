import type { BoxValues } from "../../../core/database/box-values.ts"
import { isDiskFull } from "../../../core/disk/is-disk-full.ts"
import type { IndexStamp } from "../../../engines/vectors/index-files.ts"

const key = "indexStamp"

/** Stored in the database itself, so that an older copy of the database has an older stamp or none. */
export function createIndexStamp(values: Pick<BoxValues, "read" | "write" | "remove">): IndexStamp {
  return {
    read: () => values.read(key),
    write: (value) => values.write([{ key, value }]),
    remove: () =>
      values.remove(key).catch((error: unknown) => {
        if (!isDiskFull(error)) throw error // the box is then read-only
      }),
  }
}
