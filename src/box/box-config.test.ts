import { expect, it } from "vitest"
import { readConfig } from "./box-config.ts"

const localOnly = (value: string) => readConfig({}, { CASELLA_LOCAL_ONLY: value }).localOnly

// Would catch: a switch for safety that a spelling leaves off.
it("is local-only when it is told so in whatever words, and refuses words it doesn't know", () => {
  expect(["1", "true", "YES", "on"].map(localOnly)).toEqual([true, true, true, true])
  expect(["", "0", "false", "no", "off"].map(localOnly)).toEqual([false, false, false, false, false])
  expect(() => localOnly("2")).toThrow("CASELLA_LOCAL_ONLY takes 1 or 0")
  expect(readConfig({ "local-only": true }, { CASELLA_LOCAL_ONLY: "0" }).localOnly).toBe(true)
})
