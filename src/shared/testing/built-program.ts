import { fileURLToPath } from "node:url"

/**
 * Path of a program as it is built, which starts in half the processor time of its source. The set-up of the tests builds it where a
 * source is newer.
 */
export const builtProgram = (name: "cli" | "auth"): string =>
  fileURLToPath(new URL(`../../../out/main/${name}.js`, import.meta.url))
