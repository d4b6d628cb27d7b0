import { first } from "./first.ts"
import { later } from "./later.ts"

/** Every string of the page, by feature. */
export const en = { ...first, ...later }
