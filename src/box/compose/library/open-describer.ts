import {
  createPictureDescriber,
  type PictureDescriber,
} from "../../features/files/descriptions/describe-pictures.ts"
import type { FolderAccess } from "../../features/folders/access.ts"
import { createPictureFinder } from "../../parsers/vision/picture-finder.ts"
import type { Base } from "../compose-options.ts"
import type { Models } from "../models.ts"
import type { QuotaPart } from "../quotas.ts"

/** Opens the describer of pictures in documents, which uses the chat model in use; loaded with the first picture. */
export function openDescriber(
  { database, spawn, logger }: Base,
  { chatModels }: Pick<Models, "chatModels">,
  access: FolderAccess,
  quota: QuotaPart,
): PictureDescriber & AsyncDisposable {
  const finder = createPictureFinder({ spawn, logger })
  const describer = createPictureDescriber({
    db: database.db,
    engine: chatModels.engine,
    staying: (folderIds) => access.staying(folderIds),
    finder,
    quota,
    logger,
  })
  return { ...describer, [Symbol.asyncDispose]: () => finder[Symbol.asyncDispose]() }
}
