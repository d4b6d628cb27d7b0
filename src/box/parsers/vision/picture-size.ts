import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"

const largest = 20 * 2 ** 20

/** Throws `unsupported_content` for a file that exceeds the maximum size of an image for a model. */
export function requirePictureSize(bytes: number): void {
  if (bytes <= largest) return
  throw new AppError("unsupported_content", sentence("pictures.too_large", { count: largest >> 20 }))
}
