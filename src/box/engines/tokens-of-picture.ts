import type { EnginePicture } from "./engine.ts"

/** Estimates the tokens that vision models use for an image: one per 28 by 28 pixels. */
export const tokensOfPicture = ({ width, height }: Pick<EnginePicture, "width" | "height">): number =>
  Math.ceil((width * height) / 784)
