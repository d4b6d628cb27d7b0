import { lazy } from "../core/lazy.ts"
import type { PicturePreparer } from "../parsers/vision/picture-preparer.ts"
import type { Base } from "./compose-options.ts"

/** What makes pictures ready for models that see, loaded with the first of them. */
export function composePreparer({ spawn, logger, stack }: Base): Pick<PicturePreparer, "prepare"> {
  let opened: Promise<PicturePreparer> | undefined
  stack.defer(async () => (await opened)?.[Symbol.asyncDispose]())
  const open = lazy(() => {
    opened = import("../parsers/vision/picture-preparer.ts").then(({ createPicturePreparer }) =>
      createPicturePreparer({ spawn, logger }),
    )
    return opened
  })
  return { prepare: async (file, signal) => (await open()).prepare(file, signal) }
}
