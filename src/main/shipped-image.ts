import { fileURLToPath } from "node:url"

/** Path of an image in `resources/desktop/`, seen from the bundle and from the sources alike. */
export const shippedImage = (name: string): string =>
  fileURLToPath(new URL(`../../resources/desktop/${name}`, import.meta.url))
