import type { BoxValues } from "../../../core/database/box-values.ts"
import { isDiskFull } from "../../../core/disk/is-disk-full.ts"
import type { IndexStamp } from "../../../engines/vectors/index-files.ts"

const key = "indexStamp"

/** In the database itself, so that an older copy of it has an older one, or none. */
export function createIndexStamp(values: Pick<BoxValues, "read" | "write" | "remove">): IndexStamp {
  return {
    read: () => values.read(key),
    write: (value) => values.write([{ key, value }]),
    remove: () =>
      values.remove(key).catch((error: unknown) => {
        if (!isDiskFull(error)) throw error // then the box only reads
      }),
  }
}
