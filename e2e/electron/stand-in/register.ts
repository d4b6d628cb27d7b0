// Runs before the program (`node --import`), so that every import of "electron" loads the stand-in.
import { createRequire, registerHooks } from "node:module"

const standIn = new URL("./electron.ts", import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "electron"
      ? { url: standIn, format: "module-typescript", shortCircuit: true }
      : next(specifier, context),
})

createRequire(import.meta.url)("../record.cjs")
