import { first } from "./first.ts"
import { later } from "./later.ts"

/** All strings of the page, by feature. */
export const en = { ...first, ...later }
