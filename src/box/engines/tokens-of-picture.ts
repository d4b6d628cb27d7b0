import type { EnginePicture } from "./engine.ts"

/** About what models that see make of a picture: a token of 28 by 28 pixels. */
export const tokensOfPicture = ({ width, height }: Pick<EnginePicture, "width" | "height">): number =>
  Math.ceil((width * height) / 784)
