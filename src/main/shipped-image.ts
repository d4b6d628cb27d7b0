import { fileURLToPath } from "node:url"

/** Path of an image in `resources/desktop/`; works from both the bundle and the sources. */
export const shippedImage = (name: string): string =>
  fileURLToPath(new URL(`../../resources/desktop/${name}`, import.meta.url))
